-- Why: back ends hand receipts over in SQL, and the next run takes them in or says why not.
-- Locks: ACCESS EXCLUSIVE on attested_key and refresh_run for an instant; no row is read or rewritten.
-- Safe with the previous binary: yes; what is handed over waits.

SET LOCAL lock_timeout = '1s';

-- A receipt as a back end handed it over; nothing of it is verified. A run reads these rows, verifies, and then takes
-- each out in the transaction that stores it or rejects it. Who may not call submit_receipt may not write here.
CREATE TABLE attestwatch.intake (
    intake_id bigint GENERATED ALWAYS AS IDENTITY,
    key_id bytea NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    -- Null: as the receipt says.
    environment text COLLATE "C",
    attested_time timestamptz,
    submitted_time timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- For back-fill: the first reading is drawn over so much time, in the lowest rank. Null: as a fresh key's.
    spread interval,
    -- Back-fill is taken in behind all others.
    is_back_fill boolean NOT NULL GENERATED ALWAYS AS (spread IS NOT NULL) STORED,
    device_ref text COLLATE "C",
    user_ref text,
    -- Raw, or the UTF-8 of base64 text.
    receipt bytea NOT NULL,
    digest bytea NOT NULL GENERATED ALWAYS AS (sha256(receipt)) STORED,
    CONSTRAINT intake_pkey PRIMARY KEY (intake_id),
    -- Keeps: the same receipt waits once. Serves: what waits of a key.
    CONSTRAINT intake_once UNIQUE (key_id, digest),
    CONSTRAINT intake_key_id_is_sha256 CHECK (octet_length(key_id) = 32),
    CONSTRAINT intake_app_id_shape CHECK (app_id ~ '^[A-Z0-9]{10}[.][!-~]+$' AND octet_length(app_id) <= 255),
    CONSTRAINT intake_environment_known CHECK (environment IN ('production', 'development')),
    CONSTRAINT intake_times_finite CHECK (
        attested_time BETWEEN '1970-01-01 00:00:00Z' AND '9999-12-31 00:00:00Z'
        AND submitted_time BETWEEN '1970-01-01 00:00:00Z' AND '9999-12-31 00:00:00Z'),
    CONSTRAINT intake_spread_bounded CHECK (spread BETWEEN interval '0' AND interval '60 days'),
    CONSTRAINT intake_device_ref_length CHECK (octet_length(device_ref) BETWEEN 1 AND 512),
    CONSTRAINT intake_user_ref_length CHECK (octet_length(user_ref) BETWEEN 1 AND 512),
    -- A receipt of the largest size in base64, in lines.
    CONSTRAINT intake_receipt_bounded CHECK (octet_length(receipt) BETWEEN 1 AND 98304)
) WITH (
    -- It is filled and emptied all the time, and read from its left edge.
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0
);

ALTER TABLE attestwatch.intake ALTER COLUMN receipt SET STORAGE EXTERNAL;

-- Serves: what waits of an app, in the order in which it is taken in.
CREATE INDEX intake_queue ON attestwatch.intake (app_id, is_back_fill, intake_id);

-- A receipt that was not taken in, and why; kept as it was handed over, so that it can be tried again: handed over once
-- more, it moves back to intake.
CREATE TABLE attestwatch.intake_rejected (
    key_id bytea NOT NULL,
    digest bytea NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    environment text COLLATE "C",
    attested_time timestamptz,
    submitted_time timestamptz NOT NULL,
    rejected_time timestamptz NOT NULL,
    spread interval,
    device_ref text COLLATE "C",
    user_ref text,
    -- A stable word.
    reason text COLLATE "C" NOT NULL,
    -- What was expected and what was found; nothing of the receipt is in it.
    detail text NOT NULL,
    receipt bytea NOT NULL,
    -- Serves: what was rejected of a key.
    CONSTRAINT intake_rejected_pkey PRIMARY KEY (key_id, digest),
    CONSTRAINT intake_rejected_reason_is_word CHECK (reason ~ '^[a-z][a-z0-9_]{0,63}$'),
    CONSTRAINT intake_rejected_detail_length CHECK (char_length(detail) <= 500)
);

ALTER TABLE attestwatch.intake_rejected ALTER COLUMN receipt SET STORAGE EXTERNAL;

-- Serves: what was rejected long ago, when it is let go.
CREATE INDEX intake_rejected_time ON attestwatch.intake_rejected (rejected_time);

-- Of the newest submission that was taken in: when and what was handed over, null for a key of which no receipt came in
-- that way; and when it was taken in, null where that was when the key was added.
ALTER TABLE attestwatch.attested_key
    ADD COLUMN submitted_time timestamptz,
    ADD COLUMN submitted_digest bytea,
    ADD COLUMN taken_in_time timestamptz;

-- Receipts that a run took in and rejected.
ALTER TABLE attestwatch.refresh_run
    ADD COLUMN taken_in integer NOT NULL DEFAULT 0,
    ADD COLUMN rejected integer NOT NULL DEFAULT 0;
