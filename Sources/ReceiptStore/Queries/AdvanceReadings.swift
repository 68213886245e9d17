import Postgres

extension Query {
    /// $1 keys, $2 creation times, $3 risk metrics of receipts that were not stored: one may still carry the key's
    /// newest reading, when the stored receipt has none.
    static let advanceReadings = Query(
        name: "advance_readings",
        sql: """
            UPDATE attestwatch.receipt AS r
            SET risk_metric = a.risk_metric, metric_time = a.creation_time
            FROM unnest($1::bytea[], $2::timestamptz[], $3::bigint[]) AS a (key_id, creation_time, risk_metric)
            WHERE r.key_id = a.key_id AND (r.metric_time IS NULL OR r.metric_time < a.creation_time)
            """)
}
