import AppAttest

/// Whom a risk metric speaks of: the device where the back end named one, else the key itself.
///
/// Its text is the key of `flag` rows: `device_ref` kept apart from key identifiers by the case.
package enum Subject: Hashable, Sendable {
    case device(AppID, Environment, deviceRef: String)
    case key(KeyIdentifier)
}

/// Where a key's receipt stands.
package enum ReceiptState: String, Hashable, Sendable, CaseIterable {
    /// Apple is expected to have data: a first reading is awaited, or the last answer was a receipt.
    case active
    /// Apple answered 404: nothing newer than about 30 days. The normal end of every honest key; it can revive.
    case quiet
    /// Put aside for a person: see `QuarantineReason`.
    case quarantined
    /// Quiet, and its expiration time has passed. A normal end.
    case retired
    /// Data was expected, its expiration time passed, and a week of daily tries brought nothing.
    case lost
}

/// Why a receipt waits for a person.
package enum QuarantineReason: String, Hashable, Sendable, CaseIterable {
    case environment
    case badRequest = "bad_request"
    case foreignTeam = "foreign_team"
    case notVerified = "not_verified"
    case notNewer = "not_newer"
    case otherKey = "other_key"
}

/// In which queue a due receipt stands; a lower rank goes first. Written at store time.
package enum Rank: Int, Hashable, Sendable, CaseIterable {
    case expiring = 0
    case firstReading = 1
    case flagged = 2
    case routine = 3
    case background = 4
}

/// A due row as the store hands it to the run: what to send, what an answer must agree with, and where the row stands.
package struct DueReceipt: Hashable, Sendable {
    package let keyID: KeyIdentifier
    package let appID: AppID
    package let environment: Environment
    package let subject: Subject
    /// The stored receipt, to be sent as it is.
    package let receipt: ReceiptBytes
    package let receiptDigest: SHA256Digest
    package let creationTime: Instant
    package let notBefore: Instant?
    package let expirationTime: Instant
    /// SHA-256 of the stored receipt's field 3.
    package let attestedCertificateDigest: SHA256Digest
    /// SHA-256 of the stored receipt's field 5; a change is recorded, never refused.
    package let tokenDigest: SHA256Digest
    package let attestedTime: Instant?
    package let schedule: ScheduleRow

    package init(
        keyID: KeyIdentifier, appID: AppID, environment: Environment, subject: Subject, receipt: ReceiptBytes,
        receiptDigest: SHA256Digest, creationTime: Instant, notBefore: Instant?, expirationTime: Instant,
        attestedCertificateDigest: SHA256Digest, tokenDigest: SHA256Digest, attestedTime: Instant?,
        schedule: ScheduleRow
    ) {
        self.keyID = keyID
        self.appID = appID
        self.environment = environment
        self.subject = subject
        self.receipt = receipt
        self.receiptDigest = receiptDigest
        self.creationTime = creationTime
        self.notBefore = notBefore
        self.expirationTime = expirationTime
        self.attestedCertificateDigest = attestedCertificateDigest
        self.tokenDigest = tokenDigest
        self.attestedTime = attestedTime
        self.schedule = schedule
    }
}

/// The `schedule` row of a key: when it is due, in which queue, and how its last tries went.
package struct ScheduleRow: Hashable, Sendable {
    /// 0..63, a hash of the subject, so that keys of one device meet in one worker.
    package var shard: Int
    package var rank: Rank
    package var dueTime: Instant
    package var state: ReceiptState
    /// Set exactly when `state` is quarantined.
    package var quarantineReason: QuarantineReason?
    /// Charged attempts in a row: failures shown to be this receipt's own.
    package var attempts: Int
    /// Uncharged failures in a row (304, 5xx, timeouts …): what the doubling of the next wait counts.
    package var failures: Int
    /// The last outcome in one word, nil before the first try.
    package var lastOutcome: OutcomeWord?
    package var lastOutcomeTime: Instant?

    package init(
        shard: Int, rank: Rank, dueTime: Instant, state: ReceiptState = .active,
        quarantineReason: QuarantineReason? = nil, attempts: Int = 0, failures: Int = 0,
        lastOutcome: OutcomeWord? = nil, lastOutcomeTime: Instant? = nil
    ) {
        self.shard = shard
        self.rank = rank
        self.dueTime = dueTime
        self.state = state
        self.quarantineReason = quarantineReason
        self.attempts = attempts
        self.failures = failures
        self.lastOutcome = lastOutcome
        self.lastOutcomeTime = lastOutcomeTime
    }
}

/// How a try ended, in one stable word: stored, counted, and written in events.
package enum OutcomeWord: String, Hashable, Sendable, CaseIterable {
    /// A newer receipt took the stored one's place.
    case replaced
    /// A verified answer that the store already had, or had a newer one than.
    case superseded
    /// 304: too early, or our idea of not-before is off.
    case early
    /// 404.
    case quiet
    /// Put aside in this run without charge.
    case held
    /// Put aside for a person.
    case quarantined
    /// Not answered as hoped and not the receipt's fault: 429, 5xx, timeouts, odd answers.
    case failed
}
