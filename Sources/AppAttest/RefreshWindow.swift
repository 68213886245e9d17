/// The time in which a receipt may be exchanged for a new one: from its not-before up to its expiration time.
///
/// It is read from the receipt, never assumed: Apple has been seen to open it a day after the creation time and to
/// close it 90 days after, while its documentation shows 30 and 61.
public struct RefreshWindow: Hashable, Sendable {
    /// The first instant at which the data server takes the receipt.
    public let opens: Instant
    /// The expiration time: the first instant at which it might refuse. Never before `opens`.
    public let closes: Instant

    /// The window of a receipt with these times. Without a not-before (an ATTEST receipt) it opens at the creation
    /// time.
    ///
    /// A receipt whose times contradict each other has an empty window at its expiration time.
    public init(creationTime: Instant, notBefore: Instant?, expirationTime: Instant) {
        self.opens = min(notBefore ?? creationTime, expirationTime)
        self.closes = expirationTime
    }

    /// The window that a receipt's payload states.
    public init(_ payload: ReceiptPayload) {
        self.init(
            creationTime: payload.creationTime.instant, notBefore: payload.notBefore?.instant,
            expirationTime: payload.expirationTime.instant)
    }

    /// How long it is open; zero where it is empty.
    public var length: Duration { closes - opens }

    /// Whether a receipt may be sent at `now` with good hope: `opens` counts, `closes` does not.
    public func contains(_ now: Instant) -> Bool {
        opens <= now && now < closes
    }

    /// Where the last tenth begins. Nothing is planned from here on, so that an outage of days still loses no receipt.
    public var lastTenth: Instant { closes - length / 10 }
}
