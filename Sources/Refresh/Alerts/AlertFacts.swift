import AppAttest

/// What the store knows, at a run's end, of faults that no single run shows.
package struct AlertFacts: Hashable, Sendable {
    /// Receipts that wait for a person; a reason without any is not in it.
    package var quarantined: [QuarantineReason: Int] = [:]
    /// Receipts that have been due for longer than `AlertJudgement.lateAfter`.
    package var late = 0
    /// Since when the one of them that has waited longest is due; nil where there is none.
    package var oldestDue: Instant?
    /// Receipts that were lost within `AlertJudgement.lingering`, by whichever run.
    package var lost = 0
    /// The alerts that are open.
    package var open: [OpenAlert] = []

    /// Nothing is wrong, and nothing was.
    package init() {}
}

/// What a run found, and how much it looked at.
package struct RunFindings: Hashable, Sendable {
    /// How it went.
    package let result: RunResult
    /// What it was to do.
    package let options: RefreshOptions
    /// The certificates of the answers' signers, and the anchors.
    package let certificates: [CertificateEnd]
    /// The database's clock less ours; nil where they were not compared.
    package let databaseSkew: Duration?

    /// Puts the parts together; nothing is checked.
    package init(
        result: RunResult, options: RefreshOptions, certificates: [CertificateEnd], databaseSkew: Duration?
    ) {
        self.result = result
        self.options = options
        self.certificates = certificates
        self.databaseSkew = databaseSkew
    }
}
