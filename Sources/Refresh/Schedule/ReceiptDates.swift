import AppAttest

/// What the planner has to know of a stored receipt.
package struct ReceiptDates: Hashable, Sendable {
    /// Field 6.
    package let type: ReceiptType
    /// Field 12.
    package let creationTime: Instant
    /// Where the receipt may be sent.
    package let window: RefreshWindow
    /// When the key was attested, where the back end said so.
    package let attestedTime: Instant?
    /// Whether the receipt has a risk metric (field 17).
    package let hasMetric: Bool

    /// From stored columns.
    package init(
        type: ReceiptType, creationTime: Instant, notBefore: Instant?, expirationTime: Instant, attestedTime: Instant?,
        hasMetric: Bool
    ) {
        self.type = type
        self.hasMetric = hasMetric
        self.creationTime = creationTime
        self.window = RefreshWindow(
            creationTime: creationTime, notBefore: notBefore, expirationTime: expirationTime)
        self.attestedTime = attestedTime
    }

    /// From a verified receipt about to be stored.
    package init(_ receipt: VerifiedReceipt, attestedTime: Instant?) {
        self.init(
            type: receipt.payload.type, creationTime: receipt.payload.creationTime.instant,
            notBefore: receipt.payload.notBefore?.instant, expirationTime: receipt.payload.expirationTime.instant,
            attestedTime: attestedTime, hasMetric: receipt.payload.riskMetric != nil)
    }
}
