import AppAttest
import Postgres
import Refresh
import Risk

/// Judges the subjects of keys that brought a reading, on rows read and locked, and writes what that does to their
/// flags.
struct SubjectAssessment {
    /// What each assessed key's reading did; of several keys of one subject the first carries the change.
    private(set) var changes: [KeyIdentifier: FlagChange] = [:]
    /// The subjects with an open flag after the assessment, among those of all keys asked for.
    private(set) var flagged: Set<String>

    /// How many subjects of each app are flagged, of apps with any in `flagged`; counted up to where it matters.
    private(set) var flagCounts: [AppID: Int] = [:]

    private var openings: [(standing: KeyStanding, level: FlagLevel, metric: Int)] = []
    private var moves: [(flag: OpenFlag, keyID: KeyIdentifier, to: FlagLevel?, kind: String, metric: Int)] = []
    private var peaks: [(flag: OpenFlag, metric: Int)] = []

    /// Assesses the subjects of `keys`, in their order, and writes flags and their events.
    ///
    /// - Parameter standings: of these keys and any others whose flags the caller asks about.
    init(
        of keys: [KeyIdentifier], standings: [KeyIdentifier: KeyStanding], rules: StoreRules, now: Instant,
        on connection: borrowing Connection
    ) throws(PostgresError) {
        let flags = try OpenFlag.lock(Set(standings.values.map(\.subject)), on: connection)
        flagged = Set(flags.keys)
        var assessed: Set<String> = []
        for key in keys {
            guard let standing = standings[key], assessed.insert(standing.subject).inserted else { continue }
            assess(standing, flag: flags[standing.subject], policy: rules.policy(for: standing.app))
        }
        try write(now: now, on: connection)
        let apps = Set(standings.values.filter { flagged.contains($0.subject) }.map(\.app.appID))
        flagCounts = try Self.count(of: apps.sorted { $0.text < $1.text }, rules: rules, on: connection)
    }

    private static func count(
        of apps: [AppID], rules: StoreRules, on connection: borrowing Connection
    ) throws(PostgresError) -> [AppID: Int] {
        guard !apps.isEmpty else { return [:] }
        let bounds = apps.map { rules.cadence(of: $0).mostFlagged }
        let counts = try connection.all(
            .countFlags, [.texts(apps.map(\.text)), .ints(bounds)]
        ) { rows throws(PostgresError) -> (AppID, Int) in (try rows.appID(), try rows.read()) }
        return Dictionary(counts) { first, _ in first }
    }

    private mutating func assess(_ standing: KeyStanding, flag: OpenFlag?, policy: RiskPolicy) {
        let change = Risk.assess(metric: standing.riskMetric, open: flag?.level, policy: policy)
        changes[standing.keyID] = change
        guard let metric = standing.riskMetric else { return }
        switch change {
        case .unchanged:
            if let flag, flag.peakMetric < metric { peaks.append((flag, metric)) }
        case .opened(let level):
            openings.append((standing, level, metric))
            flagged.insert(standing.subject)
        case .raised(_, let level):
            move(flag, standing, to: level, kind: "raised", metric)
        case .lowered(_, let level):
            move(flag, standing, to: level, kind: "lowered", metric)
        case .cleared:
            move(flag, standing, to: nil, kind: "cleared", metric)
            flagged.remove(standing.subject)
        }
    }

    private mutating func move(
        _ flag: OpenFlag?, _ standing: KeyStanding, to level: FlagLevel?, kind: String, _ metric: Int
    ) {
        guard let flag else { return }
        moves.append((flag, standing.keyID, level, kind, metric))
    }

    private func write(now: Instant, on connection: borrowing Connection) throws(PostgresError) {
        if !openings.isEmpty {
            try expect(
                openings.count, of: .addFlags,
                [
                    .texts(openings.map(\.standing.subject)),
                    .texts(openings.map(\.standing.app.appID.text)),
                    .words(openings.map(\.standing.app.environment)),
                    .words(openings.map(\.level)),
                    .ints(openings.map(\.metric)),
                    .keyIDs(openings.map(\.standing.keyID)),
                    .time(now),
                ], on: connection)
        }
        if !moves.isEmpty {
            try expect(
                moves.count, of: .changeFlags,
                [
                    .ints(moves.map(\.flag.flagID)),
                    .ints(moves.map(\.flag.version)),
                    .texts(moves.map(\.kind)),
                    .words(moves.map(\.flag.level)),
                    .words(moves.map(\.to)),
                    .ints(moves.map(\.metric)),
                    .keyIDs(moves.map(\.keyID)),
                    .time(now),
                ], on: connection)
        }
        if !peaks.isEmpty {
            try connection.run(.raisePeaks, [.ints(peaks.map(\.flag.flagID)), .ints(peaks.map(\.metric))])
        }
    }

    private func expect(
        _ count: Int, of query: Query, _ parameters: [Parameter], on connection: borrowing Connection
    ) throws(PostgresError) {
        let written = try connection.run(query, parameters).affectedCount
        guard written == count else {
            throw .unexpectedRowCount(query: query.name, expected: count, found: written)
        }
    }
}
