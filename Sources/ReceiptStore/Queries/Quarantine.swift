import Postgres

// What waits for a person. Every selection takes the same parameters: $1 states, $2 keys, or none for whichever,
// $3 reason or null, $4 and $5 the times from which and before which they were put aside, or null, $6 app or null.
extension Query {
    private static let selected = """
        s.state IN ('quarantined', 'dropped')
        AND s.state = ANY ($1::text[])
        AND (cardinality($2::bytea[]) = 0 OR s.key_id = ANY ($2))
        AND ($3::text IS NULL OR s.quarantine_reason = $3)
        AND ($4::timestamptz IS NULL OR s.last_outcome_time >= $4)
        AND ($5::timestamptz IS NULL OR s.last_outcome_time < $5)
        AND ($6::text IS NULL OR k.app_id = $6)
        """

    /// The selection with what Apple said last, by reason and time.
    static let listQuarantined = Query(
        name: "list_quarantined",
        sql: """
            SELECT k.key_id, k.app_id, k.environment, k.device_ref, s.state, s.quarantine_reason, s.last_outcome_time,
                s.attempts, s.last_status, s.last_trace_id, s.last_excerpt, s.expiration_time,
                (SELECT count(*) FROM attestwatch.kept_answer a WHERE a.key_id = s.key_id)
            FROM attestwatch.schedule s
            JOIN attestwatch.attested_key k ON k.key_id = s.key_id
            WHERE \(selected)
            ORDER BY s.quarantine_reason, s.last_outcome_time, s.key_id
            """)

    /// How many keys are selected, and how many answers are kept of them.
    static let countQuarantined = Query(
        name: "count_quarantined",
        sql: """
            SELECT count(DISTINCT s.key_id), count(a.answer_id)
            FROM attestwatch.schedule s
            JOIN attestwatch.attested_key k ON k.key_id = s.key_id
            LEFT JOIN attestwatch.kept_answer a ON a.key_id = s.key_id
            WHERE \(selected)
            """)

    /// $7 limit: some of the selected keys, in no order.
    static let someQuarantined = Query(
        name: "some_quarantined",
        sql: """
            SELECT s.key_id
            FROM attestwatch.schedule s
            JOIN attestwatch.attested_key k ON k.key_id = s.key_id
            WHERE \(selected)
            LIMIT $7
            """)

    /// $1 keys, $2 ranks, $3 due times: they are sent again, with no failure charged to them.
    static let releaseKeys = Query(
        name: "release_keys",
        sql: """
            UPDATE attestwatch.schedule s
            SET state = 'active', quarantine_reason = NULL, attempts = 0, failures = 0,
                expired_try_time = NULL, rank = w.rank, due_time = w.due_time
            FROM unnest($1::bytea[], $2::bigint[], $3::timestamptz[]) AS w (key_id, rank, due_time)
            WHERE s.key_id = w.key_id
            """)

    /// $1 keys: they are given up. Why they were put aside stays, with all that was said of them.
    static let dropKeys = Query(
        name: "drop_keys",
        sql: "UPDATE attestwatch.schedule SET state = 'dropped' WHERE key_id = ANY ($1::bytea[])")
}
