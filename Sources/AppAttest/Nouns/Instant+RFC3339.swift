extension Instant {
    /// Reads RFC 3339 § 5.6 text: a full date from 1970 to 9999, `T`, a full time with a fraction of no or any number
    /// of digits, `Z` or a numeric offset. `t` and `z` are taken as the RFC allows; a space for `T` is not.
    ///
    /// Digits below a microsecond are dropped. The leap second 23:59:60 UTC means the second that follows it.
    ///
    /// - Throws: `RFC3339Error` for anything else, dates that do not exist among it.
    public init(rfc3339 text: [UInt8]) throws(RFC3339Error) {
        var reader = RFC3339Reader(text)
        self = try reader.read()
    }

    /// The same of a string.
    public init(rfc3339 text: String) throws(RFC3339Error) {
        try self.init(rfc3339: Array(text.utf8))
    }

    /// RFC 3339 text in UTC: `2026-10-09T07:25:21.624Z`. The fraction has no trailing zeros and is left out when zero.
    public var rfc3339: String {
        let secondOfDay = Int(seconds) - day * 86_400
        let date = CivilDate(daysSinceEpoch: day)
        let clock = "\(two(secondOfDay / 3_600)):\(two(secondOfDay / 60 % 60)):\(two(secondOfDay % 60))"
        return "\(four(date.year))-\(two(date.month))-\(two(date.day))T\(clock)\(fraction)Z"
    }

    private var day: Int {
        let seconds = Int(seconds)
        return (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    }

    private var fraction: String {
        var rest = Int(microseconds - seconds * 1_000_000)
        guard rest != 0 else { return "" }
        var digits = 6
        while rest % 10 == 0 {
            rest /= 10
            digits -= 1
        }
        let text = String(rest)
        return "." + String(repeating: "0", count: digits - text.utf8.count) + text
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private func four(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 4 - text.utf8.count)) + text
    }
}
