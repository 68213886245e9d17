import Postgres

extension Query {
    /// $1 subjects: of which of their keys a level is made, from here on.
    static let chooseSpeakingKeys = Query(
        name: "choose_speaking_keys", sql: "SELECT attestwatch.choose_speaking_keys($1::text[])")
}
