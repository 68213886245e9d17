import Postgres

extension Query {
    /// $1 keys, $2 due times of the background cadence; a quiet key keeps its own.
    static let demoteKeys = Query(
        name: "demote_keys",
        sql: """
            UPDATE attestwatch.schedule s
            SET rank = 4,
                due_time = CASE WHEN s.state = 'quiet' THEN s.due_time ELSE greatest(s.due_time, w.due_time) END
            FROM unnest($1::bytea[], $2::timestamptz[]) AS w (key_id, due_time)
            WHERE s.key_id = w.key_id
            """)
}
