import AppAttest

extension Cadence {
    /// What is wrong with these times, each in one line with both values; empty when they can be used.
    package var problems: [String] {
        var problems: [String] = []
        func check(_ name: String, _ value: Duration, _ bounds: ClosedRange<Duration>) {
            guard !bounds.contains(value) else { return }
            problems.append(
                "cadence.\(name) must be \(Self.text(bounds.lowerBound)) to \(Self.text(bounds.upperBound)), "
                    + "found \(Self.text(value))")
        }
        func check(_ name: String, _ value: Duration, notAbove otherName: String, _ other: Duration) {
            guard value > other else { return }
            problems.append(
                "cadence.\(name) (\(Self.text(value))) must not be longer than "
                    + "cadence.\(otherName) (\(Self.text(other)))")
        }
        // Apple keeps the data about 30 days: a slower reading would mostly find none.
        check("clear", clear, .days(1)...(.days(30)))
        check("flagged", flagged, .hours(1)...(.days(30)))
        check("quiet", quiet, .days(1)...(.days(30)))
        check("background", background, .days(1)...(.days(60)))
        check("first_reading", firstReading, .minutes(1)...(.days(1)))
        check("flagged", flagged, notAbove: "clear", clear)
        check("clear", clear, notAbove: "background", background)
        return problems
    }

    /// A duration as the configuration writes it: in the largest unit that divides it, `7d`, `55m`.
    private static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "m")]
        for (size, unit) in units where seconds != 0 && seconds.isMultiple(of: size) {
            return "\(seconds / size)\(unit)"
        }
        return "\(seconds)s"
    }
}
