import AppAttest

/// What follows from a finding: for the receipt, and for all receipts of its lane.
package struct Decision: Hashable, Sendable {
    /// What becomes of the receipt.
    package let disposition: Disposition
    /// What becomes of its lane.
    package let lane: LaneEffect

    /// Without a word on the lane, the lane goes on.
    package init(_ disposition: Disposition, lane: LaneEffect = .none) {
        self.disposition = disposition
        self.lane = lane
    }
}

/// What becomes of one receipt.
package enum Disposition: Hashable, Sendable {
    /// The verified answer goes to the store, which plans the next try.
    case merge(VerifiedReceipt)
    /// The stored receipt stays, with this row.
    case keep(ScheduleRow)
    /// The fault is the receipt's or ours: the first row if the lane is shown good, the second if not.
    case attribute(ifCharged: ScheduleRow, otherwise: ScheduleRow)
    /// The server did not begin on it: it is sent again at once.
    case sendAgain
}

/// What one answer means for the lane that it came through.
package enum LaneEffect: Hashable, Sendable {
    /// Nothing.
    case none
    /// The fault may be ours.
    case doubt
    /// Nothing more is sent through it in this run.
    case stop(StopCause)
    /// The data server wants fewer requests, and none for so long.
    case slowDown(pause: Duration)
}

/// Why a lane stopped.
package enum StopCause: Hashable, Sendable {
    /// 401 or 403.
    case credentialRefused
    /// The data server's `Date` and our clock differ by more than a day; the difference, positive where theirs is
    /// ahead.
    case clocksApart(Duration)

    /// Whether it is the clocks.
    var isClocksApart: Bool {
        switch self {
        case .credentialRefused: false
        case .clocksApart: true
        }
    }
}
