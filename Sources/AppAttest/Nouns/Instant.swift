/// A point in time: whole microseconds since 1970-01-01T00:00:00Z, without leap seconds (as Unix and PostgreSQL count).
///
/// Microseconds are what PostgreSQL's `timestamptz` holds, so a time that was stored and read back is equal to itself.
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since the Unix epoch; negative before 1970.
    public let microseconds: Int64

    /// An instant so many microseconds after the Unix epoch.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// An instant so many whole seconds after the Unix epoch.
    public init(seconds: Int64) {
        self.microseconds = seconds * 1_000_000
    }

    /// Whole seconds since the Unix epoch, rounded down.
    public var seconds: Int64 {
        microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
    }

    public static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The instant `duration` later (earlier when negative); parts below a microsecond are dropped.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(microseconds: instant.microseconds + duration.wholeMicroseconds)
    }

    /// The instant `duration` earlier; parts below a microsecond are dropped.
    public static func - (instant: Instant, duration: Duration) -> Instant {
        Instant(microseconds: instant.microseconds - duration.wholeMicroseconds)
    }

    /// The time from `right` to `left`; negative when `left` is the earlier one.
    public static func - (left: Instant, right: Instant) -> Duration {
        .microseconds(left.microseconds - right.microseconds)
    }
}

extension Duration {
    /// This duration in whole microseconds; parts below are dropped towards zero.
    public var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }

    /// So many days of 24 hours.
    public static func days(_ count: Int) -> Duration {
        .seconds(Int64(count) * 86_400)
    }

    /// So many hours.
    public static func hours(_ count: Int) -> Duration {
        .seconds(Int64(count) * 3_600)
    }

    /// So many minutes.
    public static func minutes(_ count: Int) -> Duration {
        .seconds(Int64(count) * 60)
    }
}
