import Postgres

extension Query {
    /// $1 flags, $2 risk metrics: a higher reading under a flag whose level stays.
    static let raisePeaks = Query(
        name: "raise_peaks",
        sql: """
            UPDATE attestwatch.flag f
            SET peak_metric = w.risk_metric
            FROM unnest($1::bigint[], $2::bigint[]) AS w (flag_id, risk_metric)
            WHERE f.flag_id = w.flag_id AND f.peak_metric < w.risk_metric
            """)
}
