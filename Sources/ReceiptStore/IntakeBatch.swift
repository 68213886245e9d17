import AppAttest
import Postgres
import Refresh
import Risk

/// A batch of receipts on its way in: lock, add or merge, assess, schedule. Each key at most once.
struct IntakeBatch {
    private let intakes: [VerifiedIntake]
    private let rules: StoreRules
    private let now: Instant
    private var rejections: [KeyIdentifier: IntakeRejection] = [:]
    private var known: [KeyIdentifier: KnownKey] = [:]
    private var added: Set<KeyIdentifier> = []

    /// Locks the subjects, adds the keys that are not on record and sorts out what cannot go in.
    ///
    /// - Parameter submissions: what was handed over in SQL; noted of the keys that are added.
    init(
        _ intakes: [VerifiedIntake], of submissions: [KeyIdentifier: SubmittedReceipt] = [:], rules: StoreRules,
        now: Instant, on connection: borrowing Connection
    ) throws(PostgresError) {
        self.intakes = intakes
        self.rules = rules
        self.now = now
        for intake in intakes {
            rejections[intake.receipt.keyID] = intake.unusableReference.map { .referenceUnusable(field: $0) }
        }
        let usable = accepted
        known = try KnownKey.read(usable.map(\.receipt.keyID), on: connection)
        let locked = Set(usable.map { (known[$0.receipt.keyID]?.subject ?? $0.subject).shard })
        try connection.lockShards(Array(locked))
        added = try Self.add(
            usable.filter { known[$0.receipt.keyID] == nil }, of: submissions, now: now, on: connection)
        // Read again: another intake may have added some of them before the lock was had, as keys of other devices.
        known = try KnownKey.read(usable.map(\.receipt.keyID), on: connection)
        let missed = Set(known.values.map(\.subject.shard)).subtracting(locked)
        if !missed.isEmpty { try connection.lockShards(Array(missed)) }
        for intake in usable {
            rejections[intake.receipt.keyID] = known[intake.receipt.keyID].flatMap(intake.conflict)
        }
        try Self.nameUsers(of: accepted.filter { !added.contains($0.receipt.keyID) }, on: connection)
    }

    private var accepted: [VerifiedIntake] {
        intakes.filter { rejections[$0.receipt.keyID] == nil }
    }

    /// Stores what was accepted; the results are in the order of the intakes.
    func store(on connection: borrowing Connection) throws(PostgresError) -> [IntakeOutcome] {
        let receipts = accepted.map(\.receipt)
        let new = receipts.filter { added.contains($0.keyID) }
        let oldest = rules.oldestReading(at: now)
        var outdated: Set<KeyIdentifier> = []
        if !new.isEmpty {
            try connection.run(.addReceipts, ReceiptMerge.columns(of: new) + [.time(now)])
            outdated = try ReceiptMerge.addReadings(
                of: new.filter { $0.payload.riskMetric != nil }, keepingFrom: oldest, on: connection)
        }
        let merged = try ReceiptMerge.merge(
            receipts.filter { !added.contains($0.keyID) }, now: now, keepingFrom: oldest, on: connection)
        let replaced = merged.replaced
        outdated.formUnion(merged.outdated)
        let standings = try KeyStanding.read(receipts.map(\.keyID), now: now, on: connection)
        let stored = receipts.filter { added.contains($0.keyID) || replaced.contains($0.keyID) }
        let assessment = try SubjectAssessment(
            of: stored.filter { $0.payload.riskMetric != nil }.map(\.keyID), standings: standings, rules: rules,
            now: now, on: connection)
        let planned = stored.compactMap { standings[$0.keyID] }
        try schedule(planned, flagged: assessment.flagged, on: connection)
        try demoteOvertaken(by: planned.filter { added.contains($0.keyID) }, on: connection)
        try SpeakingKeys.choose(after: standings.values, on: connection)
        return intakes.map { intake in
            var outcome = outcome(of: intake, replaced: replaced, standings: standings, changes: assessment.changes)
            outcome.isReadingOutdated = outdated.contains(intake.receipt.keyID)
            return outcome
        }
    }

    private func outcome(
        of intake: VerifiedIntake, replaced: Set<KeyIdentifier>, standings: [KeyIdentifier: KeyStanding],
        changes: [KeyIdentifier: FlagChange]
    ) -> IntakeOutcome {
        let keyID = intake.receipt.keyID
        let result: IntakeResult
        if let rejection = rejections[keyID] {
            return IntakeOutcome(keyID: keyID, result: .rejected(rejection))
        } else if added.contains(keyID) {
            result = .takenIn
        } else if replaced.contains(keyID) {
            result = .replaced
        } else {
            result = standings[keyID]?.digest == intake.receipt.digest ? .unchanged : .older
        }
        let isIgnored = intake.deviceRef != nil && known[keyID]?.deviceRef != intake.deviceRef
        return IntakeOutcome(
            keyID: keyID, result: result, flagChange: changes[keyID] ?? .unchanged, isDeviceRefIgnored: isIgnored)
    }

    private func schedule(
        _ standings: [KeyStanding], flagged: Set<String>, on connection: borrowing Connection
    ) throws(PostgresError) {
        var rows: [(standing: KeyStanding, row: ScheduleRow)] = []
        let spreads = spreads
        for standing in standings {
            let plan = plan(standing, flagged: flagged.contains(standing.subject), over: spreads[standing.keyID])
            let shard = known[standing.keyID]?.subject.shard ?? 0
            rows.append((standing, ScheduleRow(shard: shard, rank: plan.rank, dueTime: plan.dueTime)))
        }
        let new = rows.filter { added.contains($0.standing.keyID) }
        if !new.isEmpty {
            try connection.run(
                .addSchedule,
                [
                    .keyIDs(new.map(\.standing.keyID)),
                    .ints(new.map(\.row.shard)),
                    .ints(new.map(\.row.rank.rawValue)),
                    .times(new.map(\.row.dueTime)),
                    .times(new.map(\.standing.expirationTime)),
                ])
        }
        let replaced = rows.filter { !added.contains($0.standing.keyID) }
        try ScheduleWrite.write(
            replaced.map { ScheduleWrite(keyID: $0.standing.keyID, row: $0.row, reply: nil) }, on: connection)
    }

    /// Over how much time the first readings of keys just added are spread, where they are.
    private var spreads: [KeyIdentifier: Duration] {
        var spreads: [KeyIdentifier: Duration] = [:]
        for intake in intakes {
            let keyID = intake.receipt.keyID
            if added.contains(keyID) { spreads[keyID] = intake.spread }
        }
        return spreads
    }

    private func plan(_ standing: KeyStanding, flagged: Bool, over spread: Duration? = nil) -> Plan {
        let (dates, app) = (standing.dates, standing.app.appID)
        let place = Standing(state: .active, flagged: flagged, newestKey: standing.isReader(flagged: flagged))
        guard let spread else { return rules.plan(dates, of: app, standing: place, now: now) }
        return rules.planSpread(dates, of: app, standing: place, over: spread, now: now)
    }

    /// Sends the keys that read these devices until now to the background.
    private func demoteOvertaken(
        by newcomers: [KeyStanding], on connection: borrowing Connection
    ) throws(PostgresError) {
        let subjects = Set(newcomers.filter { known[$0.keyID]?.deviceRef != nil }.map(\.subject))
        guard !subjects.isEmpty else { return }
        let others = try connection.all(
            .overtakenKeys, [.texts(subjects.sorted()), .keyIDs(newcomers.map(\.keyID))]
        ) { rows throws(PostgresError) in try rows.keyID() }
        let standings = try KeyStanding.read(others, now: now, on: connection)
        let flags = try OpenFlag.lock(subjects, on: connection)
        let demoted = others.compactMap { standings[$0] }.filter { !$0.isReader(flagged: flags[$0.subject] != nil) }
        guard !demoted.isEmpty else { return }
        try connection.run(
            .demoteKeys,
            [.keyIDs(demoted.map(\.keyID)), .times(demoted.map { plan($0, flagged: false).dueTime })])
    }

    /// A user who is named later is kept: who asks for erasure by that name is to be found.
    private static func nameUsers(
        of intakes: [VerifiedIntake], on connection: borrowing Connection
    ) throws(PostgresError) {
        let named = intakes.filter { $0.userRef != nil }
        guard !named.isEmpty else { return }
        try connection.run(
            .nameUsers, [.keyIDs(named.map(\.receipt.keyID)), .texts(named.map(\.userRef))])
    }

    /// Adds keys; gives those that were not on record.
    private static func add(
        _ intakes: [VerifiedIntake], of submissions: [KeyIdentifier: SubmittedReceipt], now: Instant,
        on connection: borrowing Connection
    ) throws(PostgresError) -> Set<KeyIdentifier> {
        guard !intakes.isEmpty else { return [] }
        let receipts = intakes.map(\.receipt)
        let parameters: [Parameter] = [
            .keyIDs(receipts.map(\.keyID)),
            .texts(receipts.map(\.payload.appID.text)),
            .words(receipts.map(\.payload.environment)),
            .bytesArray(receipts.map(\.publicPoint.bytes)),
            .texts(intakes.map(\.deviceRef)),
            .texts(intakes.map(\.userRef)),
            .times(intakes.map(\.knownAttestedTime)),
            .time(now),
            .times(receipts.map { submissions[$0.keyID]?.submittedTime }),
            .bytesArray(receipts.map { submissions[$0.keyID]?.digest.bytes }),
        ]
        return Set(try connection.all(.addKeys, parameters) { rows throws(PostgresError) in try rows.keyID() })
    }
}

extension VerifiedIntake {
    /// The subject as this intake names it.
    fileprivate var subject: Subject {
        Subject(
            keyID: receipt.keyID, appID: receipt.payload.appID, environment: receipt.payload.environment,
            deviceRef: deviceRef)
    }

    /// When the key was attested, so far as it can be known: an ATTEST receipt is made with its attestation.
    fileprivate var knownAttestedTime: Instant? {
        switch receipt.payload.type {
        case .attest: attestedTime ?? receipt.payload.creationTime.instant
        case .receipt: attestedTime
        }
    }

    /// The name of a reference that cannot be stored.
    fileprivate var unusableReference: String? {
        func isUnusable(_ text: String?) -> Bool {
            guard let text else { return false }
            return !(1...512).contains(text.utf8.count) || text.utf8.contains(0)
        }
        if isUnusable(deviceRef) { return "device_ref" }
        return isUnusable(userRef) ? "user_ref" : nil
    }

    /// Why this receipt cannot be one of the key on record.
    fileprivate func conflict(with known: KnownKey) -> IntakeRejection? {
        if known.app.appID != receipt.payload.appID { return .knownUnderAnotherApp(known.app.appID) }
        if known.app.environment != receipt.payload.environment {
            return .knownInAnotherEnvironment(known.app.environment)
        }
        return nil
    }
}
