import AppAttest

/// Which lanes may send, and whose the failures are that came through them.
struct Lanes: Sendable {
    /// What a lane says to one more row.
    enum Admission: Hashable, Sendable {
        /// It may be sent.
        case send
        /// It may be sent, to show whether the lane is good: best one whose last answer verified.
        case probe
        /// Something is on its way that will tell: wait for it.
        case wait
        /// The lane has stopped.
        case hold
    }

    private var records: [Lane: LaneRecord] = [:]

    /// The lanes that stopped, with the first cause of each.
    var stopped: [Lane: StopCause] { records.compactMapValues(\.stopCause) }

    /// The lanes whose credential and requests some answer has shown to be good.
    var accepted: Set<Lane> { Set(records.filter(\.value.isAccepted).keys) }

    /// The lanes that went on, though all that came through them were failures that may be ours.
    var unproven: [Lane: StopCause] {
        records.filter { $0.value.stopCause == nil }.compactMapValues(\.refusal)
    }

    /// Failures that wait for their lane to be shown good or not.
    var pending: Int { records.values.reduce(0) { $0 + $1.pending } }

    /// Whether failures of the lane wait for it to be shown good or not.
    func isInDoubt(_ lane: Lane) -> Bool { records[lane].map { $0.pending > 0 } ?? false }

    /// What the lane says now to the next of so many rows that wait to go through it.
    func admission(to lane: Lane, waiting: Int) -> Admission {
        records[lane, default: LaneRecord()].admission(waiting: waiting)
    }

    /// A request has left through the lane.
    mutating func sent(through lane: Lane) {
        records[lane, default: LaneRecord()].sent()
    }

    /// A request has ended with this decision; gives the failures that it settles.
    mutating func ended(_ answer: Answer, _ decision: Decision) -> [LaneRecord.Settled] {
        records[answer.lane, default: LaneRecord()].ended(answer, decision)
    }

    /// No more requests will be sent: what waits is charged to nobody.
    mutating func giveUp() -> [LaneRecord.Settled] {
        records.keys.flatMap { records[$0]?.giveUp() ?? [] }
    }
}
