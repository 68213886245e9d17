import Postgres

extension Query {
    /// $1 now, $2 app or null.
    static let countDue = Query(
        name: "count_due",
        sql: """
            SELECT count(*)
            FROM generate_series(0, 4) AS queue (rank)
            JOIN attestwatch.schedule s ON s.rank = queue.rank
            WHERE s.state IN ('active', 'quiet')
                AND s.due_time <= $1
                AND ($2::text IS NULL OR EXISTS (
                    SELECT FROM attestwatch.attested_key a WHERE a.key_id = s.key_id AND a.app_id = $2))
            """)
}
