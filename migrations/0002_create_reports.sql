-- Why: what back ends and analysts ask: a key's level, and the flagged devices.
-- Locks: none that anybody waits for; every object is new.
-- Safe with the previous binary: yes, nothing that exists is changed.

SET LOCAL lock_timeout = '1s';

-- The level of a key, as a back end reads it: always one row, and level is never null.
--   not_on_record      no such key
--   quiet              Apple has nothing newer than about 30 days; the last reading stands beside it
--   unknown            no reading yet
--   stale              not quiet, and the newest reading is 30 days old or more
--   clear              a reading under 30 days, and no flag
--   watch review high  a reading under 30 days, and this flag
-- A key speaks for its subject: a fresh reading of another key of the same device counts as its own.
-- risk_metric is the highest reading under 30 days of any key of the subject, else the newest; metric_time is its date.
CREATE FUNCTION attestwatch.key_level(key_id bytea, at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (level text, risk_metric integer, metric_time timestamptz, flag_level text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    WITH asked AS (
        SELECT k.subject, s.state IN ('quiet', 'retired') AS is_quiet
        FROM attestwatch.attested_key k
        JOIN attestwatch.schedule s ON s.key_id = k.key_id
        WHERE k.key_id = key_level.key_id
    ),
    reading AS (
        SELECT r.risk_metric, r.metric_time,
            r.metric_time > key_level.at - interval '30 days' AS is_fresh,
            s.state IN ('quiet', 'retired') AS is_quiet
        FROM asked a
        JOIN attestwatch.attested_key k ON k.subject = a.subject
        JOIN attestwatch.receipt r ON r.key_id = k.key_id
        JOIN attestwatch.schedule s ON s.key_id = k.key_id
        WHERE r.metric_time IS NOT NULL
    ),
    shown AS (
        SELECT reading.risk_metric, reading.metric_time
        FROM reading
        ORDER BY reading.is_fresh DESC,
            CASE WHEN reading.is_fresh THEN reading.risk_metric END DESC,
            reading.metric_time DESC
        LIMIT 1
    ),
    open_flag AS (
        SELECT f.level
        FROM asked a
        JOIN attestwatch.flag f ON f.subject = a.subject AND f.closed_time IS NULL
    )
    SELECT
        CASE
            WHEN asked.subject IS NULL THEN 'not_on_record'
            WHEN EXISTS (SELECT FROM reading WHERE reading.is_fresh AND NOT reading.is_quiet)
                THEN coalesce(open_flag.level, 'clear')
            WHEN asked.is_quiet THEN 'quiet'
            WHEN shown.metric_time IS NULL THEN 'unknown'
            WHEN shown.metric_time > key_level.at - interval '30 days' THEN coalesce(open_flag.level, 'clear')
            ELSE 'stale'
        END,
        shown.risk_metric, shown.metric_time, open_flag.level
    FROM (VALUES (1)) AS always (one_row)
    LEFT JOIN asked ON true
    LEFT JOIN shown ON true
    LEFT JOIN open_flag ON true
$$;

-- The flagged subjects with their newest key and newest reading. freshness is how that reading stands: fresh (under
-- 30 days), quiet (the newest key has gone quiet) or stale.
CREATE FUNCTION attestwatch.flagged_devices(at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (
    flag_id bigint, app_id text, environment text, device_ref text, key_id bytea, user_ref text, level text,
    opened_time timestamptz, changed_time timestamptz, risk_metric integer, metric_time timestamptz,
    peak_metric integer, key_count bigint, freshness text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT f.flag_id, f.app_id, f.environment, newest.device_ref, newest.key_id, newest.user_ref, f.level,
        f.opened_time, f.changed_time, reading.risk_metric, reading.metric_time, f.peak_metric, counted.key_count,
        CASE
            WHEN newest.is_quiet THEN 'quiet'
            WHEN reading.metric_time > flagged_devices.at - interval '30 days' THEN 'fresh'
            ELSE 'stale'
        END
    FROM attestwatch.flag f
    CROSS JOIN LATERAL (
        SELECT k.device_ref, k.key_id, k.user_ref, s.state IN ('quiet', 'retired') AS is_quiet
        FROM attestwatch.attested_key k
        JOIN attestwatch.schedule s ON s.key_id = k.key_id
        WHERE k.subject = f.subject
        ORDER BY coalesce(k.attested_time, k.added_time) DESC, k.key_id DESC
        LIMIT 1
    ) AS newest
    LEFT JOIN LATERAL (
        SELECT r.risk_metric, r.metric_time
        FROM attestwatch.attested_key k
        JOIN attestwatch.receipt r ON r.key_id = k.key_id
        WHERE k.subject = f.subject
            AND r.metric_time IS NOT NULL
        ORDER BY r.metric_time DESC, r.risk_metric DESC
        LIMIT 1
    ) AS reading ON true
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

REVOKE EXECUTE ON FUNCTION attestwatch.key_level(bytea, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.flagged_devices(timestamptz) FROM PUBLIC;
