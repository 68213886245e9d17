import Postgres

extension Query {
    /// $1 keys, $2 creation times, $3 risk metrics. A key that was erased gets no reading back.
    static let addReadings = Query(
        name: "add_readings",
        sql: """
            INSERT INTO attestwatch.metric_reading (key_id, creation_time, risk_metric)
            SELECT a.key_id, a.creation_time, a.risk_metric
            FROM unnest($1::bytea[], $2::timestamptz[], $3::bigint[]) AS a (key_id, creation_time, risk_metric)
            JOIN attestwatch.attested_key k ON k.key_id = a.key_id
            ON CONFLICT (key_id, creation_time) DO NOTHING
            """)
}
