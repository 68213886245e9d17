import Postgres

extension Query {
    /// $1 key, $2 now.
    static let levelOfKey = Query(
        name: "level_of_key",
        sql: "SELECT level, risk_metric, metric_time, flag_level FROM attestwatch.key_level($1, $2)")
}
