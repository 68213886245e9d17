-- Why: a device whose ninth key a program before this one added has no keys chosen to speak for it, and was shown as if it
-- had never been read.
-- Locks: none that anybody waits for.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

-- As before: from eight keys at most, where a subject has no more, or keys that speak for it. Where none does it is from
-- all of them, until the subject's next reading chooses some; one without any reading has none to choose.
CREATE OR REPLACE FUNCTION attestwatch.subject_standing(subject text, at timestamptz)
RETURNS TABLE (risk_metric integer, metric_time timestamptz, freshness text)
LANGUAGE sql STABLE
AS $$
    WITH few AS MATERIALIZED (
        SELECT array_agg(nine.key_id) AS keys
        FROM (
            SELECT k.key_id
            FROM attestwatch.attested_key k
            WHERE k.subject = subject_standing.subject
            LIMIT 9
        ) AS nine
    ), key (key_id) AS (
        SELECT unnest(few.keys)
        FROM few
        WHERE cardinality(few.keys) <= 8
        UNION ALL
        SELECT k.key_id
        FROM attestwatch.attested_key k
        WHERE k.subject = subject_standing.subject
            AND (SELECT cardinality(few.keys) FROM few) > 8
            AND NOT EXISTS (
                SELECT FROM attestwatch.speaking_key s WHERE s.subject = subject_standing.subject)
        UNION ALL
        (
            SELECT k.key_id
            FROM attestwatch.speaking_key k
            WHERE k.subject = subject_standing.subject AND k.is_highest
                AND k.metric_time > subject_standing.at - interval '30 days'
            ORDER BY k.metric_time
            LIMIT 1
        )
        UNION ALL
        (
            SELECT k.key_id
            FROM attestwatch.speaking_key k
            WHERE k.subject = subject_standing.subject AND k.is_highest
            ORDER BY k.metric_time DESC
            LIMIT 1
        )
        UNION ALL
        (
            SELECT k.key_id
            FROM attestwatch.speaking_key k
            WHERE k.subject = subject_standing.subject AND k.is_last_heard
            ORDER BY k.metric_time DESC
            LIMIT 1
        )
    )
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
            FROM key
            JOIN attestwatch.receipt r ON r.key_id = key.key_id
            JOIN attestwatch.schedule s ON s.key_id = key.key_id
            WHERE r.metric_time IS NOT NULL
        ) AS reading
    ) AS shown
    WHERE shown.place = 1
$$;
