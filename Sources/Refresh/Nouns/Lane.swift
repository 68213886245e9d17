import AppAttest

/// What shares a credential and a fate: the receipts of one team at one data server that the same keys sign for.
package struct Lane: Hashable, Sendable, CustomStringConvertible {
    /// Which data server.
    package let environment: Environment
    /// Whose authorization JWT.
    package let team: TeamID
    /// The key IDs of those who may sign it, as configured: apps of one team may have keys of their own.
    package let keyIDs: [String]

    /// Names a lane.
    package init(environment: Environment, team: TeamID, keyIDs: [String] = []) {
        self.environment = environment
        self.team = team
        self.keyIDs = keyIDs
    }

    /// For people: `TEAMID1234 (production)`; lanes of a team that differ in their keys read alike.
    package var description: String { "\(team.text) (\(environment.rawValue))" }

    /// The same with one of its keys: `TEAMID1234 key ABC123DEFG (production)`.
    package func description(ofKey keyID: String) -> String {
        keyFraming.before + keyID + keyFraming.behind
    }

    /// The key in such a description; nil where it is none, or of another team or data server.
    func keyID(in description: String) -> String? {
        guard description.hasPrefix(keyFraming.before), description.hasSuffix(keyFraming.behind) else { return nil }
        return String(description.dropFirst(keyFraming.before.count).dropLast(keyFraming.behind.count))
    }

    private var keyFraming: (before: String, behind: String) {
        ("\(team.text) key ", " (\(environment.rawValue))")
    }
}
