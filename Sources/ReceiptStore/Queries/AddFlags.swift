import Postgres

extension Query {
    /// $1…$6 arrays, one member a subject to flag; $7 now. Writes the event of each with it.
    static let addFlags = Query(
        name: "add_flags",
        sql: """
            WITH wanted AS (
                SELECT w.subject, w.app_id, w.environment, w.level, w.risk_metric, w.key_id
                FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bytea[])
                    AS w (subject, app_id, environment, level, risk_metric, key_id)
            ),
            opened AS (
                INSERT INTO attestwatch.flag (
                    app_id, environment, subject, level, peak_metric, opened_time, changed_time)
                SELECT w.app_id, w.environment, w.subject, w.level, w.risk_metric, $7, $7
                FROM wanted w
                RETURNING flag_id, subject
            )
            INSERT INTO attestwatch.flag_event (flag_id, event_time, kind, to_level, risk_metric, key_id, actor)
            SELECT o.flag_id, $7, 'opened', w.level, w.risk_metric, w.key_id, 'attestwatch'
            FROM opened o
            JOIN wanted w ON w.subject = o.subject
            """)
}
