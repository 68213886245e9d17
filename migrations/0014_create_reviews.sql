-- Why: analysts say what they make of a flag, and see who has looked at which; the list says what its columns mean.
-- Locks: ACCESS EXCLUSIVE on flag_event for an instant; no row is read (NOT VALID), the next migration does that.
-- Safe with the previous binary: yes; it reads the list by the names of its columns.

SET LOCAL lock_timeout = '1s';

-- verdict is what a person made of the flag: confirmed (the count is what it looks like), explained (there is a
-- harmless reason for it), unclear (looked at, and no wiser). A review leaves the level as it is.
ALTER TABLE attestwatch.flag_event
    ADD COLUMN verdict text,
    DROP CONSTRAINT flag_event_kind_known,
    ADD CONSTRAINT flag_event_kind_known
        CHECK (kind IN ('opened', 'raised', 'lowered', 'cleared', 'reviewed')) NOT VALID,
    ADD CONSTRAINT flag_event_verdict_known CHECK (verdict IN ('confirmed', 'explained', 'unclear')) NOT VALID,
    ADD CONSTRAINT flag_event_review_has_verdict CHECK ((kind = 'reviewed') = (verdict IS NOT NULL)) NOT VALID,
    ADD CONSTRAINT flag_event_review_keeps_level CHECK (kind <> 'reviewed' OR from_level = to_level) NOT VALID,
    ADD CONSTRAINT flag_event_note_length CHECK (char_length(note) BETWEEN 1 AND 1000) NOT VALID;

-- Notes a review of an open flag, and gives the flag's new version. version is the one that was read: a flag that has
-- changed since is refused (55000), one that is closed or is none likewise (P0002), so nobody reviews what they have
-- not seen. Who and when are the server's to say and no parameters: this is the record of who did what.
-- Runs wait for the flag while the transaction lasts, so it may not stand idle for longer than their own may.
CREATE FUNCTION attestwatch.review_flag(flag_id bigint, version integer, verdict text, note text DEFAULT NULL)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    seen record;
    words text := nullif(btrim(review_flag.note), '');
BEGIN
    IF review_flag.verdict IS NULL OR review_flag.verdict NOT IN ('confirmed', 'explained', 'unclear') THEN
        RAISE EXCEPTION 'expected the verdict confirmed, explained or unclear, found %',
            coalesce(quote_literal(left(review_flag.verdict, 40)), 'none')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF char_length(words) > 1000 THEN
        RAISE EXCEPTION 'expected a note of at most 1000 characters, found %', char_length(words)
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM set_config('idle_in_transaction_session_timeout', '10s', true);
    SELECT f.version, f.level, f.closed_time
    INTO seen
    FROM attestwatch.flag f
    WHERE f.flag_id = review_flag.flag_id
    FOR UPDATE;
    IF seen.version IS NULL OR seen.closed_time IS NOT NULL THEN
        RAISE EXCEPTION 'expected an open flag, found none with flag_id %', review_flag.flag_id
            USING ERRCODE = 'no_data_found', HINT = 'it may have been cleared since it was read';
    END IF;
    IF seen.version IS DISTINCT FROM review_flag.version THEN
        RAISE EXCEPTION 'expected flag % at version %, found it at version %',
            review_flag.flag_id, review_flag.version, seen.version
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'its level has changed, or somebody has reviewed it, since it was read: read it again';
    END IF;
    UPDATE attestwatch.flag f SET version = f.version + 1 WHERE f.flag_id = review_flag.flag_id;
    INSERT INTO attestwatch.flag_event (flag_id, event_time, kind, from_level, to_level, actor, verdict, note)
    VALUES (
        review_flag.flag_id, clock_timestamp(), 'reviewed', seen.level, seen.level, session_user,
        review_flag.verdict, words);
    RETURN seen.version + 1;
END
$$;

REVOKE EXECUTE ON FUNCTION attestwatch.review_flag(bigint, integer, text, text) FROM PUBLIC;

-- The list and its function are made anew with more columns; what an operator has granted on them is kept.
SELECT set_config('attestwatch.kept_grants', coalesce(string_agg(kept.statement, '; '), ''), true)
FROM (
    SELECT format(
        'GRANT %s ON %s TO %s%s', acl.privilege_type, one.name, acl.grantee::regrole,
        CASE WHEN acl.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS statement
    FROM (
        SELECT 'attestwatch.flagged_device' AS name, c.relacl AS acl, c.relowner AS owner
        FROM pg_class c
        WHERE c.oid = 'attestwatch.flagged_device'::regclass
        UNION ALL
        SELECT 'FUNCTION attestwatch.flagged_devices(timestamptz)', p.proacl, p.proowner
        FROM pg_proc p
        WHERE p.oid = 'attestwatch.flagged_devices(timestamptz)'::regprocedure
    ) AS one
    CROSS JOIN LATERAL aclexplode(one.acl) AS acl
    WHERE acl.grantee NOT IN (0, one.owner)
) AS kept;

DROP VIEW attestwatch.flagged_device;
DROP FUNCTION attestwatch.flagged_devices(timestamptz);

-- The flagged subjects with their newest key, and their reading and freshness as in subject_standing; freshness is
-- 'stale' where no reading is left. The review is the last one, unless the level was raised since.
CREATE FUNCTION attestwatch.flagged_devices(at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (
    flag_id bigint, app_id text, environment text, device_ref text, key_id bytea, user_ref text, level text,
    opened_time timestamptz, changed_time timestamptz, risk_metric integer, metric_time timestamptz,
    peak_metric integer, key_count bigint, freshness text, version integer, reviewed_time timestamptz,
    reviewed_by text, review_verdict text, review_note text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT f.flag_id, f.app_id, f.environment, newest.device_ref, newest.key_id, newest.user_ref, f.level,
        f.opened_time, f.changed_time, standing.risk_metric, standing.metric_time, f.peak_metric, counted.key_count,
        coalesce(standing.freshness, 'stale'), f.version, review.event_time, review.actor, review.verdict,
        review.note
    FROM attestwatch.flag f
    CROSS JOIN LATERAL (
        SELECT k.device_ref, k.key_id, k.user_ref
        FROM attestwatch.attested_key k
        WHERE k.subject = f.subject
        ORDER BY coalesce(k.attested_time, k.added_time) DESC, k.key_id DESC
        LIMIT 1
    ) AS newest
    LEFT JOIN LATERAL attestwatch.subject_standing(f.subject, flagged_devices.at) AS standing ON true
    CROSS JOIN LATERAL (
        SELECT count(*) AS key_count
        FROM attestwatch.attested_key k
        WHERE k.subject = f.subject
    ) AS counted
    LEFT JOIN LATERAL (
        SELECT e.kind, e.event_time, e.actor, e.verdict, e.note
        FROM attestwatch.flag_event e
        WHERE e.flag_id = f.flag_id
            AND e.kind IN ('reviewed', 'raised')
        ORDER BY e.event_id DESC
        LIMIT 1
    ) AS review ON review.kind = 'reviewed'
    WHERE f.closed_time IS NULL
$$;

REVOKE EXECUTE ON FUNCTION attestwatch.flagged_devices(timestamptz) FROM PUBLIC;

-- The same at the present time, for people at a SQL prompt.
CREATE VIEW attestwatch.flagged_device AS
SELECT flag_id, app_id, environment, device_ref, key_id, user_ref, level, opened_time, changed_time, risk_metric,
    metric_time, peak_metric, key_count, freshness, version, reviewed_time, reviewed_by, review_verdict, review_note
FROM attestwatch.flagged_devices(clock_timestamp());

DO $$
BEGIN
    EXECUTE current_setting('attestwatch.kept_grants');
END
$$;

COMMENT ON VIEW attestwatch.flagged_device IS
    'The devices that are flagged now, one row each. A flag is a reason to look closer, never to lock anybody out.';
COMMENT ON COLUMN attestwatch.flagged_device.flag_id IS 'The flag, as review_flag takes it.';
COMMENT ON COLUMN attestwatch.flagged_device.app_id IS 'The App ID that the device was seen with.';
COMMENT ON COLUMN attestwatch.flagged_device.environment IS
    'production or development: where its keys were attested.';
COMMENT ON COLUMN attestwatch.flagged_device.device_ref IS
    'The back end''s name for the device; null where it gave none and the flag is about a single key.';
COMMENT ON COLUMN attestwatch.flagged_device.key_id IS 'The key identifier of its newest key.';
COMMENT ON COLUMN attestwatch.flagged_device.user_ref IS
    'The back end''s name for the user of that key, if it gave one.';
COMMENT ON COLUMN attestwatch.flagged_device.level IS 'watch, review or high.';
COMMENT ON COLUMN attestwatch.flagged_device.opened_time IS 'When the flag was opened.';
COMMENT ON COLUMN attestwatch.flagged_device.changed_time IS 'When its level changed last.';
COMMENT ON COLUMN attestwatch.flagged_device.risk_metric IS
    'How many keys the device attested in the 30 days before metric_time, as Apple counts: the largest that any of its '
    'keys was read with in the last 30 days, else the newest reading.';
COMMENT ON COLUMN attestwatch.flagged_device.metric_time IS 'The date of that reading: when Apple made its receipt.';
COMMENT ON COLUMN attestwatch.flagged_device.peak_metric IS 'The highest reading since the flag was opened.';
COMMENT ON COLUMN attestwatch.flagged_device.key_count IS 'How many of its keys are on record here.';
COMMENT ON COLUMN attestwatch.flagged_device.freshness IS
    'fresh: read within 30 days. quiet: Apple had no data when last asked. stale: neither.';
COMMENT ON COLUMN attestwatch.flagged_device.version IS
    'Counts the flag''s changes and reviews; review_flag takes the one that was read.';
COMMENT ON COLUMN attestwatch.flagged_device.reviewed_time IS
    'When it was last reviewed; null while nobody has, and again once its level is raised.';
COMMENT ON COLUMN attestwatch.flagged_device.reviewed_by IS 'The login that reviewed it.';
COMMENT ON COLUMN attestwatch.flagged_device.review_verdict IS 'confirmed, explained or unclear.';
COMMENT ON COLUMN attestwatch.flagged_device.review_note IS 'What the reviewer said about it.';

COMMENT ON FUNCTION attestwatch.flagged_devices(timestamptz) IS 'The rows of flagged_device as of a time.';
COMMENT ON FUNCTION attestwatch.review_flag(bigint, integer, text, text) IS
    'Notes that an open flag was reviewed: its flag_id and version as read; confirmed, explained or unclear; and a '
    'note. Gives its new version.';
COMMENT ON FUNCTION attestwatch.key_level(bytea, timestamptz) IS
    'The level of a key: always one row, and level is never null.';
