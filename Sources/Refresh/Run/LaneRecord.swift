import AppAttest

/// What is known of one lane in a run: whether it is good, what is on its way, and the failures that wait to be
/// attributed.
///
/// It starts with one canary. A failure that may be ours puts it in doubt: nothing more is sent until all that is on
/// its way has come back, and then due rows one at a time, as probes. Only a probe can show that the fault was the
/// receipt's: among requests that are on their way together the server answers in an order of its own, so that one of
/// them that is good may have come before our fault began. A fault of ours meets every request alike: when probe after
/// probe fails in one way, the lane stops, and nobody is charged.
struct LaneRecord: Sendable {
    /// So many probes that fail alike stop a lane that has not been shown good in this run.
    static let unprovenPatience = 3
    /// The same for one that has: among many receipts with faults of their own some stand side by side.
    static let provenPatience = 6
    /// So many probes that settle nothing end a doubt: the lane stops if most of them failed, else it goes on, and
    /// nobody is charged for what is left.
    static let longestProbing = 20
    /// So many end it whatever they settle.
    static let longestDoubt = 60

    /// A failure that is the receipt's or ours.
    struct Failure: Sendable {
        /// What came back.
        let answer: Answer
        /// The row if the lane is shown good.
        let charged: ScheduleRow
        /// The row if it is not.
        let held: ScheduleRow
        /// Why the lane stops if nothing shows it good.
        let cause: StopCause
        /// What would show it.
        let settledBy: LaneProof
    }

    /// A failure and what becomes of its row.
    struct Settled: Sendable {
        /// Whose.
        let failure: Failure
        /// Whether it is charged to the receipt.
        let isCharged: Bool
    }

    private enum Phase: Hashable, Sendable {
        case new
        case canaryOut
        case open
        case doubting
        case stopped
    }

    private var phase = Phase.new
    private var isProven = false
    private var inFlight = 0
    private var failures: [Failure] = []
    /// How many canaries told nothing.
    private var vainCanaries = 0
    /// Whether a probe of the present doubt is on its way.
    private var isProbing = false
    /// How many of them have been sent; and since one settled something, how many have not, and have failed.
    private var probes = (sent: 0, vain: 0, failed: 0)
    /// How many of the last failures of theirs were alike, and how.
    private var streak: (count: Int, cause: StopCause)?
    /// The first cause for which it stopped.
    private(set) var stopCause: StopCause?

    /// Whether an answer has shown that the credential is taken and what is sent is understood.
    private(set) var isAccepted = false

    /// How the first of the failures looked that nothing settled.
    private var unsettled: StopCause?

    /// How what was sent failed, where no answer has shown the credential and the requests to be good.
    var refusal: StopCause? { isAccepted ? nil : stopCause ?? unsettled }

    /// Failures that wait.
    var pending: Int { failures.count }

    /// What it says to the next of so many rows that wait to go through it.
    func admission(waiting: Int) -> Lanes.Admission {
        switch phase {
        case .new: .probe
        case .open: waiting > keptBack ? .send : .wait
        case .canaryOut: .wait
        case .doubting: inFlight == 0 ? .probe : .wait
        case .stopped: .hold
        }
    }

    /// So many rows stay back while others are on their way: they are the probes if one of those fails.
    private var keptBack: Int {
        switch inFlight {
        case 0: 0
        case ..<10: 1
        default: 3
        }
    }

    /// A request has left.
    mutating func sent() {
        inFlight += 1
        switch phase {
        case .new: phase = .canaryOut
        case .doubting: isProbing = true
        case .canaryOut, .open, .stopped: break
        }
    }

    /// A request has ended with this decision; gives the failures that it settles, its own among them.
    mutating func ended(_ answer: Answer, _ decision: Decision) -> [Settled] {
        inFlight -= 1
        var settled: [Settled] = []
        switch decision.lane {
        case .stop(let cause):
            settled = stop(cause)
        case .doubt(let cause, let proof):
            guard case .attribute(let charged, let held) = decision.disposition else { break }
            failures.append(
                Failure(answer: answer, charged: charged, held: held, cause: cause, settledBy: proof))
            doubt(cause)
        case .proof(let proof):
            isProven = true
            isAccepted = true
            if isProbing { settled = settle(proof) }
            if failures.isEmpty, phase != .stopped { open() }
        case .untold:
            guard phase == .canaryOut else { break }
            vainCanaries += 1
            phase = vainCanaries < Self.longestProbing ? .new : .open
        case .none, .slowDown:
            // A canary that the server did not begin on has told nothing: the next one is the canary.
            if phase == .canaryOut { phase = decision.disposition == .sendAgain ? .new : .open }
        }
        if isProbing {
            probes.sent += 1
            probes.vain += settled.isEmpty ? 1 : -probes.vain
            if !settled.isEmpty { probes.failed = 0 }
        }
        isProbing = false
        if phase == .stopped { return settled + giveUp() }
        return settled + stopIfUnproven()
    }

    /// No proof will come any more: nobody is charged.
    mutating func giveUp() -> [Settled] {
        defer { failures = [] }
        unsettled = unsettled ?? failures.first?.cause
        if phase == .doubting { open() }
        return failures.map { Settled(failure: $0, isCharged: false) }
    }

    private mutating func open() {
        phase = .open
        probes = (0, 0, 0)
        streak = nil
    }

    private mutating func doubt(_ cause: StopCause) {
        guard phase == .doubting else {
            if phase != .stopped { phase = .doubting }
            return
        }
        // What was on its way when the doubt began is no probe.
        guard isProbing else { return }
        probes.failed += 1
        let before = streak.flatMap { $0.cause.isAlike(cause) ? $0.count : nil } ?? 0
        streak = (before + 1, cause)
    }

    private mutating func settle(_ proof: LaneProof) -> [Settled] {
        let isSettled = { (failure: Failure) in failure.settledBy <= proof }
        let settled = failures.filter(isSettled)
        failures.removeAll(where: isSettled)
        if !settled.isEmpty { streak = nil }
        return settled.map { Settled(failure: $0, isCharged: true) }
    }

    private mutating func stopIfUnproven() -> [Settled] {
        guard phase == .doubting, inFlight == 0, let first = failures.first else { return [] }
        let patience = isProven ? Self.provenPatience : Self.unprovenPatience
        if streak?.count ?? 0 >= patience { return stop(streak?.cause ?? first.cause) }
        guard probes.vain >= Self.longestProbing || probes.sent >= Self.longestDoubt else { return [] }
        return probes.failed * 2 > Self.longestProbing ? stop(streak?.cause ?? first.cause) : giveUp()
    }

    private mutating func stop(_ cause: StopCause) -> [Settled] {
        phase = .stopped
        stopCause = stopCause ?? cause
        return giveUp()
    }
}
