/// The one source of the present time for everything about Apple's dates: due times, windows, freshness, rules.
///
/// It is made where the program starts and handed in; rules take `now` as an argument instead.
public protocol WallClock: Sendable {
    /// The present time.
    func now() -> Instant
}
