import Postgres

extension Query {
    /// $1 now, $2 app or null, $3 environment or null, $4 levels.
    static let flaggedDevices = Query(
        name: "flagged_devices",
        sql: """
            SELECT f.app_id, f.environment, f.device_ref, f.key_id, f.user_ref, f.level, f.opened_time, f.changed_time,
                f.risk_metric, f.metric_time, f.peak_metric, f.key_count, f.freshness,
                f.reviewed_time, f.reviewed_by, f.review_verdict, f.review_note
            FROM attestwatch.flagged_devices($1) AS f
            WHERE ($2::text IS NULL OR f.app_id = $2)
                AND ($3::text IS NULL OR f.environment = $3)
                AND f.level = ANY ($4::text[])
            ORDER BY array_position(ARRAY['high', 'review', 'watch'], f.level), f.changed_time DESC, f.flag_id
            """)
}
