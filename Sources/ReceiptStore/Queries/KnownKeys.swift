import Postgres

extension Query {
    /// $1 keys.
    static let knownKeys = Query(
        name: "known_keys",
        sql: """
            SELECT key_id, app_id, environment, device_ref
            FROM attestwatch.attested_key
            WHERE key_id = ANY ($1::bytea[])
            """)
}
