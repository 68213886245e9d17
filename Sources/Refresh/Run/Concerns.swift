import AppAttest

/// Ends of single tries that point beyond their receipt: at our settings, our clock, or rows that were marked wrongly.
///
/// They are counted because each row by itself is only put off, so that a fault of the whole fleet would go unseen.
package struct Concerns: Hashable, Sendable {
    /// A row is told of from this many 304s in a row.
    package static let earliesInARow = 3

    /// 200s that do not verify, by the failed step's word.
    package var notVerified: [String: Int] = [:]
    /// 200s that verify but do not answer what was sent, being another key's or not newer, by the failed step's word.
    package var misplaced: [String: Int] = [:]
    /// 400s that say "Incorrect Environment".
    package var incorrectEnvironment = 0
    /// Other 400s.
    package var badRequests = 0
    /// Rows held after 401 or 403, since nothing else was due that could have shown whose fault it is.
    package var unauthorized = 0
    /// Rows held after 404 likewise, where nothing but 404 was ever answered though their keys were attested lately.
    package var notFound = 0
    /// Rows that were held unsent because their app is not configured, by app.
    package var unconfigured: [AppID: Int] = [:]
    /// Rows with so many 304s in a row that our idea of their not-before, or of the time, is off.
    package var earlyAgain = 0

    /// Nothing to be concerned about.
    package init() {}

    /// Whether a person has to look: everything but 304s, which only make a row late.
    package var needPerson: Bool {
        !notVerified.isEmpty || !misplaced.isEmpty || incorrectEnvironment > 0 || badRequests > 0
            || unauthorized > 0 || notFound > 0 || !unconfigured.isEmpty
    }
}

extension Concerns {
    /// Takes in what an answer turned out to be, and the row that it leaves.
    mutating func note(_ finding: Finding, leaving row: ScheduleRow) {
        switch finding {
        case .doubtful(let fault):
            switch fault.kind {
            case .notVerified: notVerified[fault.word, default: 0] += 1
            case .notNewer, .otherKey: misplaced[fault.word, default: 0] += 1
            }
        case .incorrectEnvironment: incorrectEnvironment += 1
        case .badRequest: badRequests += 1
        case .notModified: earlyAgain += row.failures >= Self.earliesInARow ? 1 : 0
        case .unauthorized: unauthorized += row.lastOutcome == .held ? 1 : 0
        case .noData: notFound += row.lastOutcome == .held ? 1 : 0
        case .verified, .tooManyRequests, .serverFailure, .unreachable, .refusedStream,
            .unexpected:
            break
        }
    }
}
