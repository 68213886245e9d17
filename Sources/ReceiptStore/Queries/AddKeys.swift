import Postgres

extension Query {
    /// $1 keys, $2 users, one member a key: the user of a key on record that had none.
    static let nameUsers = Query(
        name: "name_users",
        sql: """
            UPDATE attestwatch.attested_key k
            SET user_ref = n.user_ref
            FROM unnest($1::bytea[], $2::text[]) AS n (key_id, user_ref)
            WHERE k.key_id = n.key_id AND k.user_ref IS NULL
            """)

    /// $1…$7, $9 and $10 arrays, one member a key; $8 now. Gives the keys that were not on record.
    static let addKeys = Query(
        name: "add_keys",
        sql: """
            INSERT INTO attestwatch.attested_key (
                key_id, app_id, environment, public_key, device_ref, user_ref, attested_time, added_time,
                submitted_time, submitted_digest)
            SELECT a.key_id, a.app_id, a.environment, a.public_key, a.device_ref, a.user_ref, a.attested_time, $8,
                a.submitted_time, a.submitted_digest
            FROM unnest(
                $1::bytea[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::timestamptz[],
                $9::timestamptz[], $10::bytea[]
            ) AS a (
                key_id, app_id, environment, public_key, device_ref, user_ref, attested_time, submitted_time,
                submitted_digest)
            ON CONFLICT (key_id) DO NOTHING
            RETURNING key_id
            """)
}
