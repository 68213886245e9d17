-- Why: the tables of keys, receipts, readings, schedule and flags, and the functions that read them.
-- Locks: none that anybody waits for; every object is new.
-- Safe with the previous binary: there is none.

SET LOCAL lock_timeout = '1s';

-- An attested key as the back end brought it. Its subject is whom a risk metric speaks of: the device, as one app sees
-- it, where the back end named one, else the key. The program makes the same text (Subject.storageKey) and hashes it
-- to a shard.
CREATE TABLE attestwatch.attested_key (
    key_id bytea NOT NULL,
    app_id text COLLATE "C" NOT NULL,
    environment text COLLATE "C" NOT NULL,
    public_key bytea NOT NULL,
    device_ref text COLLATE "C",
    user_ref text,
    attested_time timestamptz,
    added_time timestamptz NOT NULL,
    subject text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
        CASE
            WHEN device_ref IS NULL THEN 'key:' || encode(key_id, 'hex')
            ELSE 'device:' || app_id || ' ' || environment || ' ' || device_ref
        END
    ) STORED,
    CONSTRAINT attested_key_pkey PRIMARY KEY (key_id),
    CONSTRAINT attested_key_id_is_sha256 CHECK (octet_length(key_id) = 32),
    CONSTRAINT attested_key_app_id_length CHECK (octet_length(app_id) BETWEEN 12 AND 255),
    CONSTRAINT attested_key_environment_known CHECK (environment IN ('production', 'development')),
    CONSTRAINT attested_key_public_key_is_point CHECK (octet_length(public_key) = 65),
    CONSTRAINT attested_key_device_ref_length CHECK (octet_length(device_ref) BETWEEN 1 AND 512),
    CONSTRAINT attested_key_user_ref_length CHECK (octet_length(user_ref) BETWEEN 1 AND 512)
);

-- Serves: the keys of a subject, when it is assessed and when a back end asks for a level.
CREATE INDEX attested_key_subject ON attestwatch.attested_key (subject);

-- The current receipt of a key, the one it replaced, and the key's newest reading with its own date.
-- risk_metric is null while no reading is known; it is never 0 for want of one. All receipts of one attestation have one
-- token (field 5); token_changed_time is when a receipt last brought another one, null while none has.
CREATE TABLE attestwatch.receipt (
    key_id bytea NOT NULL,
    receipt_type text NOT NULL,
    creation_time timestamptz NOT NULL,
    not_before timestamptz,
    expiration_time timestamptz NOT NULL,
    risk_metric integer,
    metric_time timestamptz,
    stored_time timestamptz NOT NULL,
    replaced_creation_time timestamptz,
    token_changed_time timestamptz,
    digest bytea NOT NULL,
    attested_certificate_digest bytea NOT NULL,
    token_digest bytea NOT NULL,
    signer_serial bytea NOT NULL,
    bytes bytea NOT NULL,
    replaced_bytes bytea,
    CONSTRAINT receipt_pkey PRIMARY KEY (key_id),
    CONSTRAINT receipt_of_attested_key FOREIGN KEY (key_id)
        REFERENCES attestwatch.attested_key (key_id) ON DELETE CASCADE,
    CONSTRAINT receipt_type_known CHECK (receipt_type IN ('ATTEST', 'RECEIPT')),
    CONSTRAINT receipt_window_opens_before_it_ends CHECK (not_before < expiration_time),
    CONSTRAINT receipt_created_before_it_expires CHECK (creation_time < expiration_time),
    CONSTRAINT receipt_metric_has_its_date CHECK ((risk_metric IS NULL) = (metric_time IS NULL)),
    CONSTRAINT receipt_metric_not_negative CHECK (risk_metric >= 0),
    CONSTRAINT receipt_newer_than_replaced CHECK (replaced_creation_time < creation_time),
    CONSTRAINT receipt_replaced_has_its_date CHECK ((replaced_bytes IS NULL) = (replaced_creation_time IS NULL)),
    CONSTRAINT receipt_digest_is_sha256 CHECK (octet_length(digest) = 32),
    CONSTRAINT receipt_certificate_digest_is_sha256 CHECK (octet_length(attested_certificate_digest) = 32),
    CONSTRAINT receipt_token_digest_is_sha256 CHECK (octet_length(token_digest) = 32),
    CONSTRAINT receipt_bytes_bounded CHECK (octet_length(bytes) BETWEEN 1 AND 65536)
);

-- Receipts do not compress (signatures and certificates); trying costs more than it saves.
ALTER TABLE attestwatch.receipt ALTER COLUMN bytes SET STORAGE EXTERNAL;
ALTER TABLE attestwatch.receipt ALTER COLUMN replaced_bytes SET STORAGE EXTERNAL;

-- Every reading ever taken, append-only; creation_time is that of the receipt that said it. Unknown is no row.
-- No foreign key: the history of a month must be droppable, and a key's erasure must not search it.
CREATE TABLE attestwatch.metric_reading (
    key_id bytea NOT NULL,
    creation_time timestamptz NOT NULL,
    risk_metric integer NOT NULL,
    CONSTRAINT metric_reading_pkey PRIMARY KEY (key_id, creation_time),
    CONSTRAINT metric_reading_key_id_is_sha256 CHECK (octet_length(key_id) = 32),
    CONSTRAINT metric_reading_not_negative CHECK (risk_metric >= 0)
) PARTITION BY RANGE (creation_time);

-- One partition a month; what is outside of them is kept in the default one.
CREATE TABLE attestwatch.metric_reading_default PARTITION OF attestwatch.metric_reading DEFAULT;

DO $$
DECLARE
    month timestamptz;
BEGIN
    FOR month IN
        SELECT generate_series(timestamp '2026-10-01', timestamp '2027-12-01', interval '1 month') AT TIME ZONE 'UTC'
    LOOP
        EXECUTE format(
            'CREATE TABLE attestwatch.metric_reading_%s PARTITION OF attestwatch.metric_reading '
            'FOR VALUES FROM (%L) TO (%L)',
            to_char(month AT TIME ZONE 'UTC', 'YYYY_MM'), month,
            ((month AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC');
    END LOOP;
END
$$;

-- When a key is due next and how its last try went: narrow, and written at every try.
CREATE TABLE attestwatch.schedule (
    key_id bytea NOT NULL,
    due_time timestamptz NOT NULL,
    expiration_time timestamptz NOT NULL,
    last_outcome_time timestamptz,
    last_server_date timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    last_status integer,
    shard smallint NOT NULL,
    rank smallint NOT NULL,
    state text NOT NULL DEFAULT 'active',
    quarantine_reason text,
    last_outcome text,
    last_trace_id text,
    last_span_id text,
    last_excerpt text,
    CONSTRAINT schedule_pkey PRIMARY KEY (key_id),
    CONSTRAINT schedule_of_receipt FOREIGN KEY (key_id) REFERENCES attestwatch.receipt (key_id) ON DELETE CASCADE,
    CONSTRAINT schedule_shard_range CHECK (shard BETWEEN 0 AND 63),
    CONSTRAINT schedule_rank_range CHECK (rank BETWEEN 0 AND 4),
    CONSTRAINT schedule_counts_not_negative CHECK (attempts >= 0 AND failures >= 0),
    CONSTRAINT schedule_state_known CHECK (state IN ('active', 'quiet', 'quarantined', 'retired', 'lost')),
    CONSTRAINT schedule_quarantine_reason_known CHECK (
        quarantine_reason IN ('environment', 'bad_request', 'foreign_team', 'not_verified', 'not_newer', 'other_key')),
    CONSTRAINT schedule_quarantine_has_reason CHECK ((state = 'quarantined') = (quarantine_reason IS NOT NULL)),
    CONSTRAINT schedule_outcome_known CHECK (
        last_outcome IN ('replaced', 'superseded', 'early', 'quiet', 'held', 'quarantined', 'failed')),
    CONSTRAINT schedule_outcome_has_its_date CHECK ((last_outcome IS NULL) = (last_outcome_time IS NULL)),
    CONSTRAINT schedule_trace_length CHECK (char_length(last_trace_id) <= 64 AND char_length(last_span_id) <= 64),
    CONSTRAINT schedule_excerpt_length CHECK (char_length(last_excerpt) <= 200)
) WITH (
    -- Every refreshed row leaves a dead entry at the left edge of the claim's index, where the next claim begins to
    -- read.
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.005,
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.05
);

-- Serves: due rows of one shard, in the order they are sent.
CREATE INDEX schedule_due_in_shard ON attestwatch.schedule (shard, rank, due_time, key_id)
    WHERE state IN ('active', 'quiet');
-- Serves: due rows of all shards, in the order they are sent, and their count.
CREATE INDEX schedule_due ON attestwatch.schedule (rank, due_time, key_id) WHERE state IN ('active', 'quiet');
-- Serves: rows whose receipt has expired, and the soonest expiry.
CREATE INDEX schedule_expiry ON attestwatch.schedule (expiration_time) WHERE state IN ('active', 'quiet');

-- A shard is worked on by one owner at a time. Its row is locked by whoever assesses a subject of the shard, so two
-- keys of one device are never assessed side by side. until_time is about elapsed time: clock_timestamp(), never a
-- parameter.
CREATE TABLE attestwatch.shard_lease (
    shard smallint NOT NULL,
    owner uuid,
    until_time timestamptz,
    counter bigint NOT NULL DEFAULT 0,
    CONSTRAINT shard_lease_pkey PRIMARY KEY (shard),
    CONSTRAINT shard_lease_range CHECK (shard BETWEEN 0 AND 63),
    CONSTRAINT shard_lease_owner_has_end CHECK ((owner IS NULL) = (until_time IS NULL))
);

INSERT INTO attestwatch.shard_lease (shard) SELECT generate_series(0, 63);

-- What a subject is flagged for. Level and time change in place; every change bumps the version, which writers compare.
CREATE TABLE attestwatch.flag (
    flag_id bigint GENERATED ALWAYS AS IDENTITY,
    app_id text COLLATE "C" NOT NULL,
    environment text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    level text NOT NULL,
    peak_metric integer NOT NULL,
    version integer NOT NULL DEFAULT 1,
    opened_time timestamptz NOT NULL,
    changed_time timestamptz NOT NULL,
    closed_time timestamptz,
    CONSTRAINT flag_pkey PRIMARY KEY (flag_id),
    CONSTRAINT flag_environment_known CHECK (environment IN ('production', 'development')),
    CONSTRAINT flag_level_known CHECK (level IN ('watch', 'review', 'high')),
    CONSTRAINT flag_version_positive CHECK (version > 0)
);

-- Keeps: one open flag a subject. Serves: the flag of a subject, and the list of open flags.
CREATE UNIQUE INDEX flag_one_open ON attestwatch.flag (subject) WHERE closed_time IS NULL;

-- Who did what to a flag, and why; rows are only ever added.
CREATE TABLE attestwatch.flag_event (
    event_id bigint GENERATED ALWAYS AS IDENTITY,
    flag_id bigint NOT NULL,
    event_time timestamptz NOT NULL,
    kind text NOT NULL,
    from_level text,
    to_level text,
    risk_metric integer,
    key_id bytea,
    actor text NOT NULL,
    note text,
    CONSTRAINT flag_event_pkey PRIMARY KEY (event_id),
    CONSTRAINT flag_event_of_flag FOREIGN KEY (flag_id) REFERENCES attestwatch.flag (flag_id) ON DELETE CASCADE,
    CONSTRAINT flag_event_kind_known CHECK (kind IN ('opened', 'raised', 'lowered', 'cleared')),
    CONSTRAINT flag_event_levels_known CHECK (
        from_level IN ('watch', 'review', 'high') AND to_level IN ('watch', 'review', 'high')),
    CONSTRAINT flag_event_opened_from_nothing CHECK ((kind = 'opened') = (from_level IS NULL)),
    CONSTRAINT flag_event_cleared_to_nothing CHECK ((kind = 'cleared') = (to_level IS NULL))
);

-- Serves: the history of a flag.
CREATE INDEX flag_event_flag ON attestwatch.flag_event (flag_id, event_id);

-- A run of refresh and its counts; end_time is null while it runs, or when it was killed.
CREATE TABLE attestwatch.refresh_run (
    run_id bigint GENERATED ALWAYS AS IDENTITY,
    start_time timestamptz NOT NULL,
    end_time timestamptz,
    due integer NOT NULL DEFAULT 0,
    sent integer NOT NULL DEFAULT 0,
    replaced integer NOT NULL DEFAULT 0,
    early integer NOT NULL DEFAULT 0,
    quiet integer NOT NULL DEFAULT 0,
    superseded integer NOT NULL DEFAULT 0,
    held integer NOT NULL DEFAULT 0,
    quarantined integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    retired integer NOT NULL DEFAULT 0,
    lost integer NOT NULL DEFAULT 0,
    flags_opened integer NOT NULL DEFAULT 0,
    flags_raised integer NOT NULL DEFAULT 0,
    flags_lowered integer NOT NULL DEFAULT 0,
    flags_cleared integer NOT NULL DEFAULT 0,
    CONSTRAINT refresh_run_pkey PRIMARY KEY (run_id)
);
