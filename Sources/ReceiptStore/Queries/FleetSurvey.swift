import Postgres

extension Query {
    /// $1 app or null: keys by state.
    static let surveyStates = Query(
        name: "survey_states",
        sql: """
            SELECT s.state, count(*)
            FROM attestwatch.schedule s
            WHERE $1::text IS NULL OR EXISTS (
                SELECT FROM attestwatch.attested_key a WHERE a.key_id = s.key_id AND a.app_id = $1)
            GROUP BY s.state
            """)

    /// $1 now, $2 app or null, $3 days to tell apart: the keys that runs send, in groups that have nearly all in common
    /// that their next calls depend on. A key in the rank of the background is one that its device is not read through,
    /// or is asked for so late that this makes no difference; but for one that was never sent, which may stand there
    /// because it came with a back-fill.
    static let surveyGroups = Query(
        name: "survey_groups",
        sql: """
            SELECT one.app_id, one.environment, one.state, one.is_reader, one.is_flagged, one.receipt_type,
                one.has_metric, count(*), min(one.due_time), max(one.due_time), min(one.attested_time),
                max(one.attested_time), min(one.expiration_time), max(one.expiration_time),
                avg(date_part('epoch', coalesce(one.not_before, one.creation_time) - one.creation_time))::bigint,
                avg(date_part('epoch', one.expiration_time - one.creation_time))::bigint
            FROM (
                SELECT k.app_id, k.environment, s.state, s.due_time,
                    s.rank <> 4 OR s.last_outcome IS NULL AND NOT EXISTS (
                        SELECT FROM attestwatch.attested_key o
                        WHERE o.subject = k.subject
                            AND (coalesce(o.attested_time, o.added_time), o.key_id)
                                > (coalesce(k.attested_time, k.added_time), k.key_id)
                    ) AS is_reader,
                    EXISTS (
                        SELECT FROM attestwatch.flag f WHERE f.subject = k.subject AND f.closed_time IS NULL
                    ) AS is_flagged,
                    r.receipt_type, coalesce(r.metric_time = r.creation_time, false) AS has_metric,
                    coalesce(k.attested_time, CASE WHEN r.receipt_type = 'ATTEST' THEN r.creation_time END)
                        AS attested_time,
                    r.creation_time, r.not_before, r.expiration_time,
                    -- Days until it is due, since it was attested, and until it expires, these the more coarsely the
                    -- later.
                    (
                        1000 * (1 + greatest(-1, least($3, floor(date_part('epoch', s.due_time - $1) / 86400))))
                        + 10 * coalesce(greatest(0, least(31, floor(date_part('epoch', $1 - coalesce(
                            k.attested_time, CASE WHEN r.receipt_type = 'ATTEST' THEN r.creation_time END))
                            / 86400))), 99)
                        + width_bucket(
                            date_part('epoch', r.expiration_time - $1) / 86400, ARRAY[0, 3, 7, 14, 30, 60]::float8[])
                    )::bigint AS days
                FROM attestwatch.schedule s
                JOIN attestwatch.attested_key k ON k.key_id = s.key_id
                JOIN attestwatch.receipt r ON r.key_id = s.key_id
                WHERE s.state IN ('active', 'quiet')
                    AND ($2::text IS NULL OR k.app_id = $2)
                -- Seen through, the days look like so many groups that all keys would be sorted on disk.
                OFFSET 0
            ) AS one
            GROUP BY one.app_id, one.environment, one.state, one.is_reader, one.is_flagged, one.receipt_type,
                one.has_metric, one.days
            """)

    /// $1 now, $2 environment, $3 app or null, $4 the instant before which a due row is overdue, $5 microseconds for a
    /// request, $6 the ranks' shares: what is due, and what of it expires before its turn. All apps' rows have their
    /// turns; only those of $3 are counted, but for the last column.
    ///
    /// When so many rows of a rank have been sent, there have been as many of each other rank as its share bears to
    /// this one's, or all that wait there.
    static let surveyBacklog = Query(
        name: "survey_backlog",
        sql: """
            WITH due AS (
                SELECT s.rank, s.state, s.due_time, s.expiration_time, $3::text IS NULL OR k.app_id = $3 AS is_asked,
                    row_number() OVER (PARTITION BY s.rank ORDER BY s.due_time) AS place
                FROM attestwatch.schedule s
                JOIN attestwatch.attested_key k ON k.key_id = s.key_id
                WHERE s.state IN ('active', 'quiet')
                    AND s.due_time <= $1
                    AND NOT (s.state = 'quiet' AND s.expiration_time <= $1)
                    AND k.environment = $2
            ), waiting AS (
                SELECT due.rank, count(*) AS count, ($6::bigint[])[due.rank + 1] AS share
                FROM due
                GROUP BY due.rank
            )
            SELECT due.rank,
                count(*) FILTER (WHERE due.is_asked),
                count(*) FILTER (WHERE due.is_asked AND due.due_time <= $4),
                count(*) FILTER (
                    WHERE due.is_asked AND due.state = 'active' AND due.expiration_time > $1
                        AND due.expiration_time < $1 + interval '1 microsecond' * $5::bigint * (
                            SELECT sum(least(other.count, due.place * other.share / own.share))
                            FROM waiting AS other)),
                count(*)
            FROM due
            JOIN waiting AS own ON own.rank = due.rank
            GROUP BY due.rank
            """)

    /// $1 now, $2 environment, $3 app or null, $4 the instant up to which is counted: how many rows come due in each
    /// hour from now, by its number, without those that only retire then.
    static let surveyHours = Query(
        name: "survey_hours",
        sql: """
            SELECT floor(date_part('epoch', s.due_time - $1) / 3600)::bigint AS hour, count(*)
            FROM attestwatch.schedule s
            JOIN attestwatch.attested_key k ON k.key_id = s.key_id
            WHERE s.state IN ('active', 'quiet')
                AND s.due_time > $1 AND s.due_time < $4
                AND NOT (s.state = 'quiet' AND s.due_time >= s.expiration_time)
                AND k.environment = $2
                AND ($3::text IS NULL OR k.app_id = $3)
            GROUP BY hour
            """)
}
