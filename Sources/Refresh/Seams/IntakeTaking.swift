import AppAttest

/// The receipts that back ends have handed over in SQL. Joined by the command, from the store and the judge of what
/// goes in.
package protocol IntakeTaking: Sendable {
    /// The number of the receipt that was handed over last, as far as is to be seen; 0 where none waits. Those up to it
    /// are a run's to take in, so that it comes to an end however many follow.
    func newest() async throws(StoreFailure) -> Int64
    /// Verifies the next receipts of a queue, and takes each in or rejects it; at most a batch of them. What another
    /// worker takes in at the same time is left to it.
    ///
    /// - Parameters:
    ///   - after: those with greater numbers.
    ///   - through: those up to this number.
    func takeIn(
        _ queue: IntakeQueue, after: Int64, through: Int64, now: Instant
    ) async throws(StoreFailure) -> IntakeStep
    /// What waits, whoever's it is.
    func waiting(now: Instant) async throws(StoreFailure) -> [WaitingIntake]
}

/// Receipts that are taken in one after the other.
package struct IntakeQueue: Hashable, Sendable {
    /// Whose they are.
    package let app: AppID
    /// Whether they came in bulk; those are behind all others.
    package let isBackFill: Bool

    /// Names a queue.
    package init(app: AppID, isBackFill: Bool) {
        self.app = app
        self.isBackFill = isBackFill
    }
}
