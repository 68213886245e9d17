import AppAttest

extension Instant {
    /// RFC 3339 in UTC to the second, rounded down, for people: `2026-10-09T07:25:21Z`.
    package var secondsText: String { Instant(seconds: seconds).rfc3339 }
}

/// A duration in words for people, two units at most: `2 d 4 h`, `35 s`; `0 s` when it is negative.
package func durationWords(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    let parts = [
        (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    guard let first = parts.firstIndex(where: { $0.0 > 0 }) else { return "0 s" }
    return parts[first...].prefix(2).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
}

/// A time for people with its distance: `2026-10-09T07:25:21Z (in 3 d 2 h)`, or `(5 min 3 s ago)`.
package func timeWords(_ time: Instant, now: Instant) -> String {
    let distance = time <= now ? "\(durationWords(now - time)) ago" : "in \(durationWords(time - now))"
    return "\(time.secondsText) (\(distance))"
}
