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
    /// The server did not begin on it, or another signing key is left to try: it is sent again at once.
    case sendAgain
}

/// What one answer means for the lane that it came through.
package enum LaneEffect: Hashable, Sendable {
    /// Nothing.
    case none
    /// Nothing, not even that something answers there that knows what it is asked: a canary tells no more than before.
    case untold
    /// The lane is good, as far as this goes.
    case proof(LaneProof)
    /// The fault may be ours; only such a proof would show that it is not.
    case doubt(StopCause, settledBy: LaneProof)
    /// Nothing more is sent through it in this run.
    case stop(StopCause)
    /// The data server wants fewer requests, and none for so long.
    case slowDown(pause: Duration)

    /// Whether nothing more is sent.
    var isStop: Bool {
        switch self {
        case .stop: true
        case .none, .untold, .proof, .doubt, .slowDown: false
        }
    }
}

/// What an answer shows of its lane; the later case shows what the earlier one does, and more.
package enum LaneProof: Int, Hashable, Sendable, Comparable {
    /// 304, 404: the credential is taken, and what is sent is understood.
    case service
    /// A receipt that verifies: likewise, and we judge answers rightly.
    case everything

    package static func < (left: LaneProof, right: LaneProof) -> Bool { left.rawValue < right.rawValue }
}

/// Why a lane stopped.
package enum StopCause: Hashable, Sendable {
    /// 401 or 403, to every one that was tried.
    case credentialRefused
    /// 400 likewise.
    case requestsRefused
    /// 400 "Incorrect Environment" likewise.
    case environmentRefused
    /// Answers that do not verify likewise; the failed step's word of the first.
    case answersDoubted(String)
    /// 404 to every one, though their keys were attested lately, where nothing but 404 was ever answered.
    case nothingFound
    /// The data server's `Date` and our clock differ by more than a day; the difference, positive where theirs is
    /// ahead.
    case clocksApart(Duration)

    /// Whether another cause is the same, whatever the details.
    func isAlike(_ other: StopCause) -> Bool {
        switch (self, other) {
        case (.credentialRefused, .credentialRefused), (.requestsRefused, .requestsRefused),
            (.environmentRefused, .environmentRefused), (.answersDoubted, .answersDoubted),
            (.nothingFound, .nothingFound), (.clocksApart, .clocksApart):
            true
        case (.credentialRefused, _), (.requestsRefused, _), (.environmentRefused, _), (.answersDoubted, _),
            (.nothingFound, _), (.clocksApart, _):
            false
        }
    }

    /// Whether it is the clocks.
    package var isClocksApart: Bool {
        switch self {
        case .credentialRefused, .requestsRefused, .environmentRefused, .answersDoubted, .nothingFound: false
        case .clocksApart: true
        }
    }
}
