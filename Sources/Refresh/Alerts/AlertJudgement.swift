import AppAttest

/// Which faults of the service are there at a run's end, and which open alerts have come to theirs.
///
/// A fault is gone only where the run has seen that it is: what it did not ask for, or was kept from by a bound, stays
/// as it is.
package struct AlertJudgement: Hashable, Sendable {
    /// What is due for longer is late.
    package static let lateAfter: Duration = .hours(24)
    /// What back ends have handed over is late when it has waited for longer.
    package static let submissionLateAfter: Duration = .hours(1)
    /// From more than this on clocks are somebody's work.
    package static let gravestSkew: Duration = .minutes(2)
    /// Faults that not every run meets while they last: an alert about one stays for so long after it was last found.
    package static let lingering: Duration = .hours(24)
    /// In so long every receipt that data is expected of has been asked for, also by runs that are cut short or for one
    /// app each.
    package static let wholeRound: Duration = .days(8)
    /// From so many receipts on, what all were answered is no matter of one of them.
    package static let several = 3
    /// What no run has found for so long has nobody left to ask about, for instance a team that has no keys any more.
    package static let forgottenAfter: Duration = .days(30)

    /// The faults that are there, each name once, in order of their names.
    package let found: [OperatorFault]
    /// The open alerts whose faults are gone.
    package let ended: [AlertName]

    /// Judges at a run's end.
    package init(of run: RunFindings, facts: AlertFacts, now: Instant) {
        var faults: [AlertName: OperatorFault] = [:]
        for fault in run.faults(now: now) + facts.faults { faults[fault.name] = fault }
        self.found = faults.sorted { $0.key < $1.key }.map(\.value)
        self.ended = facts.open.compactMap { alert in
            guard let name = alert.name, faults[name] == nil else { return nil }
            let isForgotten = now - alert.seenTime >= Self.forgottenAfter
            return isForgotten || run.showsEnd(of: name, unseenFor: now - alert.seenTime) ? name : nil
        }
    }
}

extension AlertFacts {
    fileprivate var faults: [OperatorFault] {
        var faults = quarantined.filter { $0.value > 0 }
            .map { OperatorFault.receiptsQuarantined($0.key, count: $0.value) }
        if lost > 0 { faults.append(.receiptsLost(count: lost)) }
        if late > 0, let oldestDue { faults.append(.backlogLate(count: late, oldest: oldestDue)) }
        return faults
    }
}

extension RunFindings {
    /// What the run found; the graver of two with one name comes later.
    fileprivate func faults(now: Instant) -> [OperatorFault] {
        var faults: [OperatorFault] = []
        for (environment, skew) in result.clockSkew where skew.magnitude > AlertJudgement.gravestSkew {
            faults.append(.clockSkewed(environment, by: skew))
        }
        if let databaseSkew, databaseSkew.magnitude > AlertJudgement.gravestSkew {
            faults.append(.databaseClockSkewed(by: databaseSkew))
        }
        // Against a Date that is days off no answer is fresh: the fault is the clock's.
        let apart = Set(result.stoppedLanes.filter { $0.value.isClocksApart }.map(\.key.environment))
        for (environment, words) in result.doubted where !apart.contains(environment) {
            faults.append(.answersDoubted(environment, words: words))
        }
        // What was asked too little for its breaker to open may have served nothing all the same.
        let silent = result.unavailable.filter { wasAskedOften($0.key) }
        faults += silent.merging(result.outages) { _, outage in outage }
            .map { .breakerOpen($0.key, word: $0.value) }
        // A single row that was answered so is moved, and no more than that.
        let lasting = result.throttled.filter { result.pauses[$0] != nil || wasAskedOften($0) }
        faults += lasting.union(result.pauses.keys).map(OperatorFault.paceThrottled)
        let late = (result.waiting ?? []).filter { $0.late > 0 }
        if let oldest = late.map(\.oldest).min() {
            let elsewhere = late.filter { !$0.isConfigured }.map(\.name).sorted()
            faults.append(
                .intakeLate(count: late.reduce(0) { $0 + $1.late }, oldest: oldest, elsewhere: elsewhere))
        }
        for certificate in certificates where certificate.time - now <= certificate.warningTime {
            faults.append(.certificateExpiring(certificate))
        }
        for (lane, keyIDs) in result.refusedKeys { faults += keyIDs.map { .keyRejected(lane, keyID: $0) } }
        let refused = result.unprovenLanes.merging(result.stoppedLanes) { _, stopped in stopped }
        return faults + refused.compactMap { lane, cause in fault(of: lane, cause) }
    }

    /// Whether so much was asked of the data server that it is no matter of one receipt.
    private func wasAskedOften(_ environment: Environment) -> Bool {
        result.asked[environment] ?? 0 >= AlertJudgement.several
    }

    private func fault(of lane: Lane, _ cause: StopCause) -> OperatorFault? {
        switch cause {
        case .credentialRefused: .credentialRejected(lane)
        case .requestsRefused, .environmentRefused, .nothingFound: .requestsRefused(lane, cause)
        // All of its answers are among those that were not believed.
        case .answersDoubted: nil
        case .clocksApart(let difference): .clockSkewed(lane.environment, by: difference)
        }
    }

    /// Whether it is the lane that was refused, or one that has the key, or whose team has it no more.
    private func showsEnd(of cause: String, accepted lane: Lane) -> Bool {
        guard let keyID = lane.keyID(in: cause) else { return lane.description == cause }
        return lane.keyIDs.contains(keyID) || !options.keyIDs.values.joined().contains(keyID)
    }

    /// Whether the run, which did not find the fault, has seen that it is gone.
    fileprivate func showsEnd(of name: AlertName, unseenFor unseen: Duration) -> Bool {
        let environment = Environment(rawValue: name.cause)
        switch name.kind {
        case .credentialRejected, .requestsRefused:
            return result.acceptedLanes.contains { showsEnd(of: name.cause, accepted: $0) }
        case .receiptsQuarantined, .backlogLate, .receiptsLost:
            return true
        case .intakeLate:
            return result.waiting != nil
        case .integrityFailed:
            let isVerified = environment.map { result.verified.contains($0) && result.doubted[$0] == nil } ?? false
            let isRead = options.app == nil && environment.map(result.exhausted.contains) ?? false
            return isVerified && unseen >= (isRead ? AlertJudgement.lingering : AlertJudgement.wholeRound)
        case .breakerOpen:
            return environment.map(result.served.contains) ?? false
        case .paceThrottled:
            return environment.map {
                result.served.contains($0) && !result.throttled.contains($0) && result.pauses[$0] == nil
            } ?? false
        case .clockSkewed:
            if name.cause == OperatorFault.database { return databaseSkew != nil }
            return environment.map { result.clockSkew[$0] != nil } ?? false
        case .signerExpiring:
            if name.cause.hasPrefix(CertificateEnd.anchorMark) { return true }
            return !result.verified.isEmpty && unseen >= AlertJudgement.lingering
        }
    }
}

extension Duration {
    /// The duration without its sign.
    package var magnitude: Duration { max(self, .zero - self) }
}
