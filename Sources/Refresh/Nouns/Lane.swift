import AppAttest

/// What shares a credential and a fate: the receipts of one team at one data server.
package struct Lane: Hashable, Sendable, CustomStringConvertible {
    /// Which data server.
    package let environment: Environment
    /// Whose authorization JWT.
    package let team: TeamID

    /// Names a lane.
    package init(environment: Environment, team: TeamID) {
        self.environment = environment
        self.team = team
    }

    /// For people: `TEAMID1234 (production)`.
    package var description: String { "\(team.text) (\(environment.rawValue))" }
}
