import Postgres

extension Query {
    /// $1…$7 arrays, one member a flag to change (no `to_level`: to close); $8 now. Writes the event of each with it.
    /// Only a flag still at the version that was read changes; the caller compares the count.
    static let changeFlags = Query(
        name: "change_flags",
        sql: """
            WITH wanted AS (
                SELECT w.flag_id, w.version, w.kind, w.from_level, w.to_level, w.risk_metric, w.key_id
                FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bytea[])
                    AS w (flag_id, version, kind, from_level, to_level, risk_metric, key_id)
            ),
            changed AS (
                UPDATE attestwatch.flag f
                SET level = coalesce(w.to_level, f.level),
                    peak_metric = greatest(f.peak_metric, w.risk_metric),
                    version = f.version + 1,
                    changed_time = $8::timestamptz,
                    closed_time = CASE WHEN w.to_level IS NULL THEN $8::timestamptz END
                FROM wanted w
                WHERE f.flag_id = w.flag_id AND f.version = w.version
                RETURNING f.flag_id
            )
            INSERT INTO attestwatch.flag_event (
                flag_id, event_time, kind, from_level, to_level, risk_metric, key_id, actor)
            SELECT w.flag_id, $8::timestamptz, w.kind, w.from_level, w.to_level, w.risk_metric, w.key_id, 'attestwatch'
            FROM changed c
            JOIN wanted w ON w.flag_id = c.flag_id
            """)
}
