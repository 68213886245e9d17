-- Why: what back ends and analysts ask: a key's level, and the flagged devices.
-- Locks: none that anybody waits for; every object is new.
-- Safe with the previous binary: yes, nothing that exists is changed.

SET LOCAL lock_timeout = '1s';

-- How a subject stands at a time: no row while none of its keys has a reading, else one. Shown is what
-- its keys were read with in 30 days, the largest of it, else the newest reading, with its own date. freshness:
--   fresh   a key that is not quiet has a reading under 30 days
--   quiet   none has, and the key of the reading shown is quiet or retired
--   stale   none has, and that key is neither
-- Only for the functions below, as whose owner it runs.
CREATE FUNCTION attestwatch.subject_standing(subject text, at timestamptz)
RETURNS TABLE (risk_metric integer, metric_time timestamptz, freshness text)
LANGUAGE sql STABLE
AS $$
    SELECT shown.risk_metric, shown.metric_time,
        CASE
            WHEN shown.any_fresh THEN 'fresh'
            WHEN shown.is_quiet THEN 'quiet'
            ELSE 'stale'
        END
    FROM (
        SELECT reading.risk_metric, reading.metric_time, reading.is_quiet,
            bool_or(reading.is_fresh AND NOT reading.is_quiet) OVER () AS any_fresh,
            row_number() OVER (
                ORDER BY reading.is_fresh DESC,
                    CASE WHEN reading.is_fresh THEN reading.risk_metric END DESC,
                    reading.metric_time DESC, reading.risk_metric DESC, reading.is_quiet) AS place
        FROM (
            SELECT r.risk_metric, r.metric_time,
                r.metric_time > subject_standing.at - interval '30 days' AS is_fresh,
                s.state IN ('quiet', 'retired') AS is_quiet
            FROM attestwatch.attested_key k
            JOIN attestwatch.receipt r ON r.key_id = k.key_id
            JOIN attestwatch.schedule s ON s.key_id = k.key_id
            WHERE k.subject = subject_standing.subject
                AND r.metric_time IS NOT NULL
        ) AS reading
    ) AS shown
    WHERE shown.place = 1
$$;

-- The level of a key, as a back end reads it: always one row, and level is never null. The first that holds:
--   not_on_record      no such key
--   clear              a key of its subject that is not quiet has a reading under 30 days, and there is no flag
--   watch review high  likewise, and this is the flag
--   quiet              Apple had no data for this key when last asked; the last reading stands beside it
--   unknown            this key was never read; whatever a quiet key of its subject said does not vouch for it
--   stale              it was last read 30 or more days ago
-- A key speaks for its subject: a fresh reading of another key of the same device counts as its own.
-- risk_metric and metric_time are as in subject_standing; an open flag stands in flag_level at every level.
CREATE FUNCTION attestwatch.key_level(key_id bytea, at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (level text, risk_metric integer, metric_time timestamptz, flag_level text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    WITH asked AS (
        SELECT k.subject, s.state IN ('quiet', 'retired') AS is_quiet, r.metric_time
        FROM attestwatch.attested_key k
        JOIN attestwatch.schedule s ON s.key_id = k.key_id
        JOIN attestwatch.receipt r ON r.key_id = k.key_id
        WHERE k.key_id = key_level.key_id
    )
    SELECT
        CASE
            WHEN asked.subject IS NULL THEN 'not_on_record'
            WHEN standing.freshness = 'fresh' THEN coalesce(f.level, 'clear')
            WHEN asked.is_quiet THEN 'quiet'
            WHEN asked.metric_time IS NULL THEN 'unknown'
            ELSE 'stale'
        END,
        standing.risk_metric, standing.metric_time, f.level
    FROM (VALUES (1)) AS always (one_row)
    LEFT JOIN asked ON true
    LEFT JOIN LATERAL attestwatch.subject_standing(asked.subject, key_level.at) AS standing ON true
    LEFT JOIN attestwatch.flag f ON f.subject = asked.subject AND f.closed_time IS NULL
$$;

-- The flagged subjects with their newest key, and their reading and freshness as in subject_standing; freshness is
-- 'stale' where no reading is left.
CREATE FUNCTION attestwatch.flagged_devices(at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (
    flag_id bigint, app_id text, environment text, device_ref text, key_id bytea, user_ref text, level text,
    opened_time timestamptz, changed_time timestamptz, risk_metric integer, metric_time timestamptz,
    peak_metric integer, key_count bigint, freshness text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT f.flag_id, f.app_id, f.environment, newest.device_ref, newest.key_id, newest.user_ref, f.level,
        f.opened_time, f.changed_time, standing.risk_metric, standing.metric_time, f.peak_metric, counted.key_count,
        coalesce(standing.freshness, 'stale')
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
    WHERE f.closed_time IS NULL
$$;

-- The same at the present time, for people at a SQL prompt.
CREATE VIEW attestwatch.flagged_device AS
SELECT flag_id, app_id, environment, device_ref, key_id, user_ref, level, opened_time, changed_time, risk_metric,
    metric_time, peak_metric, key_count, freshness
FROM attestwatch.flagged_devices(clock_timestamp());

REVOKE EXECUTE ON FUNCTION attestwatch.subject_standing(text, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.key_level(bytea, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.flagged_devices(timestamptz) FROM PUBLIC;
