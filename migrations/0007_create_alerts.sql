-- Why: what is wrong with the service itself is said once, for as long as it lasts, to whoever is on call.
-- Locks: none that anybody waits for; every object is new.
-- Safe with the previous binary: yes, it writes none.

SET LOCAL lock_timeout = '1s';

-- A fault of operation from the run that first found it to the one that found it gone. Nothing in it is secret.
CREATE TABLE attestwatch.alert (
    alert_id bigint GENERATED ALWAYS AS IDENTITY,
    -- What kind of fault, for instance credential.rejected.
    kind text COLLATE "C" NOT NULL,
    -- Whose, for instance a lane or a data server; the same fault has the same words.
    cause text COLLATE "C" NOT NULL,
    message text NOT NULL,
    hint text NOT NULL,
    opened_time timestamptz NOT NULL,
    -- When a run last found it.
    seen_time timestamptz NOT NULL,
    closed_time timestamptz,
    CONSTRAINT alert_pkey PRIMARY KEY (alert_id),
    CONSTRAINT alert_kind_shape CHECK (kind ~ '^[a-z]+\.[a-z]+$')
);

-- Keeps: one open alert a cause. Serves: the open alerts.
CREATE UNIQUE INDEX alert_one_open ON attestwatch.alert (kind, cause) WHERE closed_time IS NULL;
