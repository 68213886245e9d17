-- Who may do what, and all of it: what is not granted here is for the owner of the schema alone. 'attestwatch migrate'
-- applies this behind the migrations at each run, so a role that is made later has its rights from the next run on.
-- A test holds it against every table, view, sequence and function there is.
--
--   attestwatch_worker   runs every command but 'migrate': changes rows, makes nothing, owns nothing
--   attestwatch_backend  hands receipts over and asks for levels, through functions alone; sees no table
--   attestwatch_analyst  reads what is flagged and reviews it; never sees a receipt
--
-- Partitions have no rights of their own: they are read and written through their parent. Nor have the sequences of
-- identity columns: who may insert into the table needs none.

REVOKE ALL ON SCHEMA attestwatch FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA attestwatch FROM PUBLIC;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA attestwatch FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA attestwatch FROM PUBLIC;

-- What an earlier version gave, and this one does not, goes.
DO $$
DECLARE
    known text;
BEGIN
    FOREACH known IN ARRAY ARRAY['attestwatch_worker', 'attestwatch_backend', 'attestwatch_analyst'] LOOP
        IF pg_catalog.to_regrole(known) IS NOT NULL THEN
            EXECUTE format('REVOKE ALL ON SCHEMA attestwatch FROM %I', known);
            EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA attestwatch FROM %I', known);
            EXECUTE format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA attestwatch FROM %I', known);
            EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA attestwatch FROM %I', known);
            EXECUTE format('GRANT USAGE ON SCHEMA attestwatch TO %I', known);
        END IF;
    END LOOP;
END
$$;

DO $$
BEGIN
    IF pg_catalog.to_regrole('attestwatch_worker') IS NULL THEN
        RETURN;
    END IF;
    GRANT SELECT ON attestwatch.schema_migration TO attestwatch_worker;
    GRANT SELECT, UPDATE ON attestwatch.shard_lease TO attestwatch_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE ON
        attestwatch.alert,
        attestwatch.attested_key,
        attestwatch.data_server,
        attestwatch.flag,
        attestwatch.flag_event,
        attestwatch.intake,
        attestwatch.intake_rejected,
        attestwatch.kept_answer,
        attestwatch.metric_reading,
        attestwatch.receipt,
        attestwatch.refresh_run,
        attestwatch.schedule,
        attestwatch.speaking_key,
        attestwatch.worker
        TO attestwatch_worker;
    GRANT EXECUTE ON FUNCTION
        attestwatch.choose_speaking_keys(text[]),
        attestwatch.drop_partitions(timestamptz, boolean),
        attestwatch.flagged_devices(timestamptz),
        attestwatch.key_id_of(text),
        attestwatch.key_level(bytea, timestamptz),
        attestwatch.key_level(text, timestamptz),
        attestwatch.make_partitions(timestamptz),
        attestwatch.receipt_of(text),
        attestwatch.submission_fault(text, bytea, integer, text, text, text, timestamptz, timestamptz)
        TO attestwatch_worker;
END
$$;

DO $$
BEGIN
    IF pg_catalog.to_regrole('attestwatch_backend') IS NULL THEN
        RETURN;
    END IF;
    GRANT EXECUTE ON FUNCTION
        attestwatch.key_id_of(text),
        attestwatch.key_level(bytea, timestamptz),
        attestwatch.key_level(text, timestamptz),
        attestwatch.receipt_of(text),
        attestwatch.submission(bytea),
        attestwatch.submission(text),
        attestwatch.submit_receipt(text, bytea, bytea, text, text, text, timestamptz, timestamptz),
        attestwatch.submit_receipt(text, bytea, text, text, text, text, timestamptz, timestamptz),
        attestwatch.submit_receipt(text, text, bytea, text, text, text, timestamptz, timestamptz),
        attestwatch.submit_receipt(text, text, text, text, text, text, timestamptz, timestamptz)
        TO attestwatch_backend;
END
$$;

DO $$
BEGIN
    IF pg_catalog.to_regrole('attestwatch_analyst') IS NULL THEN
        RETURN;
    END IF;
    GRANT SELECT ON attestwatch.flagged_device TO attestwatch_analyst;
    GRANT EXECUTE ON FUNCTION
        attestwatch.flagged_devices(timestamptz),
        attestwatch.review_flag(bigint, integer, text, text)
        TO attestwatch_analyst;
END
$$;
