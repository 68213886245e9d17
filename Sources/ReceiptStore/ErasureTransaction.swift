import AppAttest
import Postgres
import Refresh

/// One erasure on its way through the tables.
struct ErasureTransaction: Sendable {
    /// What is to go.
    let selection: ErasureSelection
    /// The cadence of keys that stay.
    let rules: StoreRules
    /// The present time.
    let now: Instant

    /// Erases in the transaction that is open.
    ///
    /// What was handed over and then every shard is locked before the keys are looked for that go, as whoever takes
    /// receipts in or stores them does it: what a run is storing is there to be found, and what it has yet to store
    /// comes to a key that is gone.
    func erase(on connection: borrowing Connection) throws(PostgresError) -> Erasure {
        try connection.planForBatch()
        let submitted = submissions(of: try find(on: connection).keys)
        try connection.run(.lockSubmissions, submitted)
        try connection.run(.lockRejections, submitted)
        try connection.lockShards(Array(0..<Subject.shardCount))
        let found = try find(on: connection)
        return Erasure(keys: found.keys, counts: try erase(found, on: connection))
    }

    /// What is selected.
    private struct Found {
        /// The keys, on record or only handed over.
        let keys: Set<KeyIdentifier>
        /// The subjects of those on record.
        let subjects: Set<String>
    }

    private func find(on connection: borrowing Connection) throws(PostgresError) -> Found {
        let onRecord = try keysOnRecord(on: connection)
        let handedOver = try connection.all(
            .submissionsToErase, [.text(user), .text(device), .bytes(keyID?.bytes), .text(selection.app?.text)]
        ) { rows throws(PostgresError) in try rows.keyID() }
        return Found(keys: Set(onRecord.keys).union(handedOver), subjects: Set(onRecord.values))
    }

    /// The parameters that select what was handed over of these keys, or under the name that is erased.
    private func submissions(of keys: Set<KeyIdentifier>) -> [Parameter] {
        [.keyIDs(Array(keys)), .text(user), .text(device), .text(selection.app?.text)]
    }

    private func erase(_ found: Found, on connection: borrowing Connection) throws(PostgresError) -> Erasure.Counts {
        var counts = Erasure.Counts()
        let submitted = submissions(of: found.keys)
        counts.submissions = try connection.run(.eraseSubmissions, submitted).affectedCount
        counts.rejections = try connection.run(.eraseRejections, submitted).affectedCount
        let keys = Parameter.keyIDs(Array(found.keys))
        counts.keptAnswers = try connection.run(.removeAnswersOfKeys, [keys]).affectedCount
        try connection.run(.eraseSchedule, [keys])
        counts.receipts = try connection.run(.eraseReceipts, [keys]).affectedCount
        counts.readings = try connection.run(.eraseReadings, [keys]).affectedCount
        counts.keys = try connection.run(.eraseKeys, [keys]).affectedCount
        let gone = try strikeFlags(of: found.subjects, keys: keys, &counts, on: connection)
        // Another app, or environment, may have keys of a device that one has none of any more.
        let devices = Set(gone.compactMap(Self.deviceRef))
            .subtracting(found.subjects.subtracting(gone).compactMap(Self.deviceRef))
        let names = devices.union([user, device].compactMap(\.self))
        counts.referencesStruck += try connection.run(
            .strikeNamesInNotes, [.texts(names.sorted()), .text(selection.app?.text)]
        ).affectedCount
        counts.referencesStruck += try connection.run(.strikeNotesOfKeys, [keys]).affectedCount
        return counts
    }

    /// The keys selected and their subjects.
    private func keysOnRecord(
        on connection: borrowing Connection
    ) throws(PostgresError) -> [KeyIdentifier: String] {
        var subjects: [String] = []
        if let device {
            subjects = try connection.all(
                .subjectsOfDevice, [.text(device), .text(selection.app?.text)]
            ) { rows throws(PostgresError) in try rows.read() }
        }
        let found = try connection.all(
            .keysToErase, [.text(user), .texts(subjects), .bytes(keyID?.bytes), .text(selection.app?.text)]
        ) { rows throws(PostgresError) -> (KeyIdentifier, String) in (try rows.keyID(), try rows.read()) }
        return Dictionary(found) { first, _ in first }
    }

    private var user: String? { if case .user(let reference) = selection.name { reference } else { nil } }
    private var device: String? { if case .device(let reference) = selection.name { reference } else { nil } }
    private var keyID: KeyIdentifier? { if case .key(let keyID) = selection.name { keyID } else { nil } }

    /// The back end's name in `Subject.storageKey`; nil for a key without a device.
    private static func deviceRef(_ subject: String) -> String? {
        guard subject.hasPrefix("device:") else { return nil }
        // Neither an App ID nor an environment has a space in it.
        let parts = subject.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 3 ? String(parts[2]) : nil
    }

    /// Ends the flags of subjects that have no key left and takes out who they were of; of the others only what named
    /// the erased keys goes, and the newest key that they still have is read as such. Gives the subjects that have
    /// none.
    private func strikeFlags(
        of subjects: Set<String>, keys: Parameter, _ counts: inout Erasure.Counts, on connection: borrowing Connection
    ) throws(PostgresError) -> Set<String> {
        guard !subjects.isEmpty else { return [] }
        let left = try connection.all(
            .subjectsLeft, [.texts(subjects.sorted())]
        ) { rows throws(PostgresError) in try rows.read(String.self) }
        let without = subjects.subtracting(left)
        let gone = Parameter.texts(without.sorted())
        counts.flagsClosed = try connection.run(.closeErasedFlags, [gone, .time(now)]).affectedCount
        counts.referencesStruck = try connection.run(
            .strikeEvents, [gone, .texts(left.sorted()), keys, .text(user ?? device)]
        ).affectedCount
        counts.referencesStruck += try connection.run(.strikeFlags, [gone]).affectedCount
        try SpeakingKeys.choose(for: Set(left), on: connection)
        try promoteNewest(of: left, on: connection)
        return without
    }

    private func promoteNewest(
        of subjects: [String], on connection: borrowing Connection
    ) throws(PostgresError) {
        guard !subjects.isEmpty else { return }
        let newest = try connection.all(
            .newestKeys, [.texts(subjects.sorted())]
        ) { rows throws(PostgresError) in try rows.keyID() }
        let standings = try KeyStanding.read(newest, now: now, on: connection)
        let flags = try OpenFlag.lock(Set(subjects), on: connection)
        let plans = newest.compactMap { keyID -> (keyID: KeyIdentifier, plan: Plan)? in
            guard let standing = standings[keyID], let state = standing.state else { return nil }
            let plan = rules.plan(
                standing.dates, of: standing.app.appID,
                standing: Standing(state: state, flagged: flags[standing.subject] != nil, newestKey: true), now: now)
            return (keyID, plan)
        }
        let parameters: [Parameter] = [
            .keyIDs(plans.map(\.keyID)), .ints(plans.map(\.plan.rank.rawValue)), .times(plans.map(\.plan.dueTime)),
        ]
        try connection.run(.promoteKeys, parameters)
    }
}
