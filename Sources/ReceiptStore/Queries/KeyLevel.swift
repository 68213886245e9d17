import Postgres

extension Query {
    /// $1 key, $2 now.
    static let keyLevel = Query(
        name: "key_level",
        sql: "SELECT level, risk_metric, metric_time, flag_level FROM attestwatch.key_level($1, $2)")
}
