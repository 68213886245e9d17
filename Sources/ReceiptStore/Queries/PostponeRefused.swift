import Postgres

extension Query {
    /// $1 keys, $2 due times as claimed, $3 states as claimed, $4 due times to come, $5 now: tries whose outcome was
    /// refused for a value in it. Gives the keys whose row was still as it was claimed.
    static let postponeRefused = Query(
        name: "postpone_refused",
        sql: """
            UPDATE attestwatch.schedule s
            SET due_time = w.next_time,
                failures = least(s.failures, 1000) + 1,
                last_outcome = 'failed',
                last_outcome_time = $5
            FROM unnest($1::bytea[], $2::timestamptz[], $3::text[], $4::timestamptz[])
                AS w (key_id, due_time, state, next_time)
            WHERE s.key_id = w.key_id AND s.due_time = w.due_time AND s.state = w.state
            RETURNING s.key_id
            """)
}
