/// Durations as people write them in settings and options: a whole number and one unit, `55m`.
package enum DurationText {
    private static let units: [(letter: Character, seconds: Int64)] = [
        ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
    ]

    /// Nil unless `text` is digits followed by one of `s`, `m`, `h` and `d`, at most 100 years in all.
    package static func parse(_ text: String) -> Duration? {
        guard let unit = units.first(where: { $0.letter == text.last }) else { return nil }
        let digits = text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits),
            count <= 36_525 * 86_400 / unit.seconds
        else { return nil }
        return .seconds(count * unit.seconds)
    }

    /// The shortest text that `parse` reads back; parts below a second are dropped.
    package static func format(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        guard let unit = units.first(where: { seconds.isMultiple(of: $0.seconds) && seconds != 0 }) else { return "0s" }
        return "\(seconds / unit.seconds)\(unit.letter)"
    }
}
