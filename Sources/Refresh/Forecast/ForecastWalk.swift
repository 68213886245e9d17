import AppAttest

/// One key of a group on its way through the time to come, by the rules that runs follow, as far as the future can be
/// known: no further attestation is expected of a device without a flag, and none but an answer or 404 of Apple.
struct ForecastWalk {
    /// How receipts to come are dated.
    struct Dating: Hashable {
        /// From creation to not-before.
        let opening: Duration
        /// From creation to expiration.
        let lifetime: Duration

        /// As seen in every genuine receipt.
        static let seen = Dating(opening: .days(1), lifetime: .days(90))
    }

    private let planner: SchedulePlanner
    private let dating: Dating
    private let isReader: Bool
    private var isFlagged: Bool
    private let turnsOutFlagged: Bool
    private let attestedTime: Instant?
    private var state: ReceiptState
    private var type: ReceiptType
    private var hasMetric: Bool
    private var window: RefreshWindow
    private var dueTime: Instant
    private var dataEnds: Instant

    /// A key drawn from a group.
    ///
    /// - Parameters:
    ///   - dating: how the receipts to come are dated.
    ///   - flaggedShare: the part of keys without a reading that turns out to be of a flagged device.
    init(
        drawnFrom group: KeyGroup, planner: SchedulePlanner, dating: Dating, flaggedShare: Double,
        using random: inout some RandomNumberGenerator
    ) {
        func draw(_ range: ClosedRange<Instant>) -> Instant {
            Spreading.instant(from: range.lowerBound, to: range.upperBound, using: &random)
        }
        self.planner = planner
        self.dating = dating
        isReader = group.isReader
        isFlagged = group.isFlagged
        turnsOutFlagged = !group.hasMetric && Double.random(in: 0..<1, using: &random) < flaggedShare
        state = group.state
        type = group.type
        hasMetric = group.hasMetric
        dueTime = draw(group.due)
        attestedTime = group.attested.map(draw)
        let expiration = draw(group.expiration)
        let creation = expiration - group.lifetime
        window = RefreshWindow(
            creationTime: creation, notBefore: creation + group.opening, expirationTime: expiration)
        dataEnds = Self.end(ofDataFor: group, attested: attestedTime, creation: creation)
    }

    /// Until when Apple has data: 30 days from the last attestation that is known of. A metric shows that there was one
    /// in the 30 days before it, in the middle of them for want of more knowledge; a flag, that they go on.
    private static func end(ofDataFor group: KeyGroup, attested: Instant?, creation: Instant) -> Instant {
        let kept = SchedulePlanner.freshAttestation
        let known = attested.map { $0 + kept }
        guard group.hasMetric else { return known ?? creation + kept }
        if group.isFlagged { return max(known ?? creation, creation + kept) }
        if let known, known > creation { return known }
        return creation + kept / 2
    }

    /// Takes the next call, and plans the one after it; nil when there is none before `end`.
    mutating func next(
        from start: Instant, before end: Instant, using random: inout some RandomNumberGenerator
    ) -> (time: Instant, kind: CallKind)? {
        let time = max(dueTime, start)
        guard time < end else { return nil }
        if time >= window.closes, state == .quiet || time >= window.closes + NextStep.triesAfterExpiry { return nil }
        let kind = kind
        if state == .active, time < dataEnds {
            answer(at: time, using: &random)
        } else {
            state = .quiet
            dueTime = planner.quietDueTime(window: window, now: time, using: &random)
        }
        return (time, kind)
    }

    private var kind: CallKind {
        if state == .quiet { return .quiet }
        if !isReader { return .background }
        if !hasMetric { return .firstReading }
        return isFlagged ? .flagged : .clear
    }

    private mutating func answer(at time: Instant, using random: inout some RandomNumberGenerator) {
        if turnsOutFlagged { isFlagged = true }
        type = .receipt
        hasMetric = true
        let receipt = ReceiptDates(
            type: type, creationTime: time, notBefore: time + dating.opening, expirationTime: time + dating.lifetime,
            attestedTime: attestedTime, hasMetric: true)
        window = receipt.window
        if isFlagged { dataEnds = max(dataEnds, time + SchedulePlanner.freshAttestation) }
        let standing = Standing(state: .active, flagged: isFlagged && isReader, newestKey: isReader)
        dueTime = planner.plan(receipt, standing: standing, now: time, using: &random).dueTime
    }
}
