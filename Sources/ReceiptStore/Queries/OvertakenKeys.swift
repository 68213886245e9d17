import Postgres

extension Query {
    /// $1 subjects, $2 keys to leave out: the subjects' other keys that stand in the ranks of first readings, flagged
    /// and routine.
    static let overtakenKeys = Query(
        name: "overtaken_keys",
        sql: """
            SELECT k.key_id
            FROM attestwatch.attested_key k
            JOIN attestwatch.schedule s ON s.key_id = k.key_id
            WHERE k.subject = ANY ($1::text[])
                AND s.state IN ('active', 'quiet')
                AND s.rank IN (1, 2, 3)
                AND k.key_id <> ALL ($2::bytea[])
            """)
}
