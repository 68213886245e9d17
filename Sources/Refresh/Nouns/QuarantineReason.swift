/// Why a receipt waits for a person.
package enum QuarantineReason: String, Hashable, Sendable, CaseIterable {
    /// The data server says that the receipt belongs to the other environment.
    case environment
    /// 400 twice, a day or more apart.
    case badRequest = "bad_request"
    /// 401 or 403 while other receipts of the team pass: the app is not this team's.
    case foreignTeam = "foreign_team"
    /// Three answers that do not verify.
    case notVerified = "not_verified"
    /// Three answers that are not newer than what was sent.
    case notNewer = "not_newer"
    /// Three answers that speak of another key, app or environment.
    case otherKey = "other_key"
}
