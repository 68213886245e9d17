-- Why: a back end asks for a level while somebody waits, and a device may have 50,000 keys; so the few that its level
-- is made of are looked up, not looked for among all.
-- Locks: none that anybody waits for, every object is new; it reads the keys of devices that have more than eight.
-- Safe with the previous binary: yes. What it stores while it runs on of a device for which keys speak already is not
-- chosen until the device's next reading: until then the device may be shown with an older reading, or as quiet or
-- stale, and as clear only by what is so.

SET LOCAL lock_timeout = '1s';

-- Of devices that have more than eight keys, those that their level can be made of, whenever it is asked for. Only
-- which keys these are is kept here: what a level says is read from the key itself.
CREATE TABLE attestwatch.speaking_key (
    key_id bytea NOT NULL,
    -- When its newest reading was taken, as when it was chosen.
    metric_time timestamptz NOT NULL,
    -- No newer reading of the device is as high: so it is the highest of 30 days until it is 30 days old.
    is_highest boolean NOT NULL,
    -- Of the keys that are not quiet, the one that was read last.
    is_last_heard boolean NOT NULL,
    subject text COLLATE "C" NOT NULL,
    CONSTRAINT speaking_key_pkey PRIMARY KEY (key_id),
    CONSTRAINT speaking_key_of_attested_key FOREIGN KEY (key_id)
        REFERENCES attestwatch.attested_key (key_id) ON DELETE CASCADE,
    CONSTRAINT speaking_key_has_a_say CHECK (is_highest OR is_last_heard)
);

-- Serves: the highest reading under 30 days, and the newest one, since all of a subject are highest but one; and the
-- keys that speak no more.
CREATE INDEX speaking_key_subject ON attestwatch.speaking_key (subject, metric_time);
-- Serves: whether a key that is not quiet was read in 30 days.
CREATE INDEX speaking_key_heard ON attestwatch.speaking_key (subject, metric_time) WHERE is_last_heard;

-- Chooses the keys that speak for these subjects, from what is stored of all of their keys; up to eight speak all.
-- Whoever stores a reading, makes a key quiet or wakes it, or takes one away, calls it behind that.
CREATE FUNCTION attestwatch.choose_speaking_keys(subjects text[])
RETURNS void
LANGUAGE sql VOLATILE
AS $$
    WITH asked AS (
        SELECT DISTINCT one.subject
        FROM unnest(choose_speaking_keys.subjects) AS one (subject)
    ), reading AS (
        SELECT k.subject, k.key_id, r.metric_time, r.risk_metric, s.state IN ('quiet', 'retired') AS is_quiet
        FROM asked
        JOIN attestwatch.attested_key k ON k.subject = asked.subject
        JOIN attestwatch.receipt r ON r.key_id = k.key_id
        JOIN attestwatch.schedule s ON s.key_id = k.key_id
        WHERE r.metric_time IS NOT NULL
            AND (
                SELECT count(*)
                FROM (SELECT FROM attestwatch.attested_key o WHERE o.subject = asked.subject LIMIT 9) AS nine
            ) = 9
    ), chosen AS MATERIALIZED (
        SELECT placed.key_id, placed.metric_time, placed.is_highest, placed.is_last_heard, placed.subject
        FROM (
            SELECT r.subject, r.key_id, r.metric_time,
                coalesce(
                    r.risk_metric > max(r.risk_metric) OVER (
                        PARTITION BY r.subject
                        ORDER BY r.metric_time DESC, r.risk_metric DESC, r.is_quiet, r.key_id
                        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                    true) AS is_highest,
                NOT r.is_quiet AND row_number() OVER (
                    PARTITION BY r.subject, r.is_quiet ORDER BY r.metric_time DESC, r.key_id) = 1 AS is_last_heard
            FROM reading r
        ) AS placed
        WHERE placed.is_highest OR placed.is_last_heard
    ), gone AS (
        DELETE FROM attestwatch.speaking_key k
        USING asked
        WHERE k.subject = asked.subject AND k.key_id NOT IN (SELECT chosen.key_id FROM chosen)
    )
    INSERT INTO attestwatch.speaking_key AS k (key_id, metric_time, is_highest, is_last_heard, subject)
    SELECT chosen.key_id, chosen.metric_time, chosen.is_highest, chosen.is_last_heard, chosen.subject
    FROM chosen
    ON CONFLICT (key_id) DO UPDATE
    SET metric_time = excluded.metric_time, is_highest = excluded.is_highest, is_last_heard = excluded.is_last_heard
    WHERE (k.metric_time, k.is_highest, k.is_last_heard)
        IS DISTINCT FROM (excluded.metric_time, excluded.is_highest, excluded.is_last_heard)
$$;

REVOKE EXECUTE ON FUNCTION attestwatch.choose_speaking_keys(text[]) FROM PUBLIC;

SELECT attestwatch.choose_speaking_keys(array_agg(many.subject))
FROM (
    SELECT k.subject
    FROM attestwatch.attested_key k
    WHERE k.device_ref IS NOT NULL
    GROUP BY k.subject
    HAVING count(*) > 8
) AS many;

-- As before, but from eight keys at most: all of a subject that has no more, else of those that speak for it the one
-- with the highest reading under 30 days, the one with the newest, and the last heard. Where none speaks for it, as
-- when a program before this one added its ninth key, it is from all of them until its next reading chooses some; one
-- without any reading has none to choose.
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
