import Postgres

extension Query {
    /// $1 subjects: their open flags, locked, so that an analyst's change in between is not overwritten.
    static let openFlags = Query(
        name: "open_flags",
        sql: """
            SELECT subject, flag_id, version, level, peak_metric
            FROM attestwatch.flag
            WHERE closed_time IS NULL AND subject = ANY ($1::text[])
            ORDER BY flag_id
            FOR UPDATE
            """)
}
