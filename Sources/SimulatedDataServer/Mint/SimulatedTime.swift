/// A point in simulated time: whole milliseconds since 1970-01-01T00:00:00Z, the grain of Apple's times.
package struct SimulatedTime: Hashable, Comparable, Sendable {
    /// Milliseconds since the Unix epoch.
    package let milliseconds: Int64

    /// So many milliseconds after the Unix epoch.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// So many seconds after the Unix epoch.
    package init(seconds: Int64) { self.milliseconds = seconds * 1000 }

    /// Whole seconds since the Unix epoch, rounded down.
    package var seconds: Int64 { (milliseconds - milliseconds.modulo(1000)) / 1000 }

    package static func < (left: SimulatedTime, right: SimulatedTime) -> Bool { left.milliseconds < right.milliseconds }

    /// The time so many seconds later, earlier when negative.
    package func adding(seconds: Int64) -> SimulatedTime {
        SimulatedTime(milliseconds: milliseconds + seconds * 1000)
    }

    /// The time so many days of 24 hours later, earlier when negative.
    package func adding(days: Int64) -> SimulatedTime { adding(seconds: days * 86_400) }

    /// RFC 3339 as Apple writes it: always `Z`, trailing zeros of the fraction dropped (`.46Z` is 460 ms).
    package var text: String {
        let fields = civil
        var text = "\(padded(fields.year, 4))-\(padded(fields.month, 2))-\(padded(fields.day, 2))"
        text += "T\(padded(fields.hour, 2)):\(padded(fields.minute, 2)):\(padded(fields.second, 2))"
        var fraction = padded(milliseconds.modulo(1000), 3)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return fraction.isEmpty ? text + "Z" : "\(text).\(fraction)Z"
    }

    /// Reads what `text` writes; nil for anything else.
    package init?(text: String) {
        let halves = text.dropLast().split(separator: "T")
        guard text.hasSuffix("Z"), halves.count == 2 else { return nil }
        let date = halves[0].split(separator: "-").compactMap { Int64($0) }
        let clock = halves[1].split(separator: ".")
        let time = (clock.first ?? "").split(separator: ":").compactMap { Int64($0) }
        guard date.count == 3, time.count == 3, clock.count <= 2 else { return nil }
        var fraction = clock.count == 2 ? String(clock[1]) : "0"
        guard fraction.count <= 3 else { return nil }
        while fraction.count < 3 { fraction += "0" }
        guard let thousandths = Int64(fraction) else { return nil }
        let days = daysSinceEpoch(year: date[0], month: date[1], day: date[2])
        let seconds = days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
        self.init(milliseconds: seconds * 1000 + thousandths)
        guard self.text == text else { return nil }
    }

    /// The HTTP `Date` form (RFC 9110 § 5.6.7): `Mon, 30 Nov 2026 11:30:00 GMT`.
    package var httpDate: String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let fields = civil
        let weekday = days[Int(((seconds - seconds.modulo(86_400)) / 86_400).modulo(7))]
        let date = "\(padded(fields.day, 2)) \(months[Int(fields.month) - 1]) \(padded(fields.year, 4))"
        return
            "\(weekday), \(date) \(padded(fields.hour, 2)):\(padded(fields.minute, 2)):\(padded(fields.second, 2)) GMT"
    }

    /// UTCTime or, from 2050 on, GeneralizedTime, as RFC 5280 § 4.1.2.5 has it.
    var der: [UInt8] {
        let fields = civil
        let rest = [fields.month, fields.day, fields.hour, fields.minute, fields.second].map { padded($0, 2) }.joined()
        return fields.year < 2050
            ? DER.element(0x17, Array((padded(fields.year % 100, 2) + rest + "Z").utf8))
            : DER.element(0x18, Array((padded(fields.year, 4) + rest + "Z").utf8))
    }
}

extension SimulatedTime {
    private struct Civil {
        var year, month, day, hour, minute, second: Int64
    }

    /// The proleptic Gregorian date, by counting years from 1 March so that the leap day comes last.
    private var civil: Civil {
        let second = seconds.modulo(86_400)
        let shifted = (seconds - second) / 86_400 + 719_468
        let era = (shifted - shifted.modulo(146_097)) / 146_097
        let dayOfEra = shifted.modulo(146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return Civil(
            year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1,
            hour: second / 3600, minute: second / 60 % 60, second: second % 60)
    }
}

/// Days from 1970-01-01 to a date, the reverse of `civil`.
private func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear - marchYear.modulo(400)) / 400
    let yearOfEra = marchYear.modulo(400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    /// The remainder that is never negative.
    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
