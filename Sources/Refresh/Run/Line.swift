import AppAttest

/// Due rows that are read in one order: those of one rank at one data server.
struct Line: Hashable, Sendable {
    /// Which data server.
    let environment: Environment
    /// Which rank.
    let rank: Rank

    /// Every line, the first rank's first.
    static let all: [Line] = Rank.allCases.flatMap { rank in
        Environment.allCases.map { Line(environment: $0, rank: rank) }
    }
}
