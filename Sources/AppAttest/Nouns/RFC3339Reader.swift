/// Reads one RFC 3339 time from front to back.
struct RFC3339Reader {
    /// The longest text that is looked at. The longest useful one has 9 digits of fraction and an offset: 35.
    static let sizeLimit = 64

    private let text: [UInt8]
    private var offset = 0

    /// A reader at the front of `text`.
    init(_ text: [UInt8]) {
        self.text = text
    }

    /// Reads the whole text.
    mutating func read() throws(RFC3339Error) -> Instant {
        guard text.count <= RFC3339Reader.sizeLimit else {
            throw .tooLong(limit: RFC3339Reader.sizeLimit, found: text.count)
        }
        let date = try readDate()
        try skip("T", or: "t")
        let hour = try number(.hour, digits: 2, in: 0...23)
        try skip(":")
        let minute = try number(.minute, digits: 2, in: 0...59)
        try skip(":")
        let second = try number(.second, digits: 2, in: 0...60)
        let fraction = try readFraction()
        let zone = try readOffset()
        guard offset == text.count else { throw .surplus(count: text.count - offset, offset: offset) }

        let minuteOfDay = hour * 60 + minute - zone
        if second == 60 {
            let minuteInUTC = (minuteOfDay + 1_440) % 1_440
            guard minuteInUTC == 1_439 else { throw .misplacedLeapSecond(minuteOfDay: minuteInUTC) }
        }
        let seconds = date.daysSinceEpoch * 86_400 + minuteOfDay * 60 + second
        return Instant(microseconds: Int64(seconds) * 1_000_000 + Int64(fraction))
    }

    private mutating func readDate() throws(RFC3339Error) -> CivilDate {
        let year = try number(.year, digits: 4, in: 1_970...9_999)
        try skip("-")
        let month = try number(.month, digits: 2, in: 1...12)
        try skip("-")
        let day = try number(.day, digits: 2, in: 1...CivilDate.days(inMonth: month, of: year))
        return CivilDate(year: year, month: month, day: day)
    }

    /// The fraction in whole microseconds.
    private mutating func readFraction() throws(RFC3339Error) -> Int {
        guard offset < text.count, text[offset] == UInt8(ascii: ".") else { return 0 }
        offset += 1
        var microseconds = 0
        var unit = 100_000
        repeat {
            microseconds += try digit() * unit
            unit /= 10
        } while offset < text.count && isDigit(text[offset])
        return microseconds
    }

    /// The offset from UTC in minutes.
    private mutating func readOffset() throws(RFC3339Error) -> Int {
        guard offset < text.count else {
            throw .unexpected(expected: "Z or a numeric offset", found: nil, offset: offset)
        }
        let sign: Int
        switch text[offset] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
            offset += 1
            return 0
        case UInt8(ascii: "+"): sign = 1
        case UInt8(ascii: "-"): sign = -1
        case let found: throw .unexpected(expected: "Z or a numeric offset", found: found, offset: offset)
        }
        offset += 1
        let hour = try number(.offsetHour, digits: 2, in: 0...23)
        try skip(":")
        let minute = try number(.offsetMinute, digits: 2, in: 0...59)
        return sign * (hour * 60 + minute)
    }

    private mutating func number(
        _ part: RFC3339Error.Part, digits: Int, in range: ClosedRange<Int>
    ) throws(RFC3339Error) -> Int {
        var value = 0
        for _ in 0..<digits { value = value * 10 + (try digit()) }
        guard range.contains(value) else { throw .outOfRange(part, expected: range, found: value) }
        return value
    }

    private mutating func digit() throws(RFC3339Error) -> Int {
        guard offset < text.count else { throw .unexpected(expected: "a digit", found: nil, offset: offset) }
        let found = text[offset]
        guard isDigit(found) else { throw .unexpected(expected: "a digit", found: found, offset: offset) }
        offset += 1
        return Int(found - UInt8(ascii: "0"))
    }

    private mutating func skip(_ expected: Unicode.Scalar, or other: Unicode.Scalar? = nil) throws(RFC3339Error) {
        guard offset < text.count else { throw .unexpected(expected: "\(expected)", found: nil, offset: offset) }
        let found = Unicode.Scalar(text[offset])
        guard found == expected || found == other else {
            throw .unexpected(expected: "\(expected)", found: text[offset], offset: offset)
        }
        offset += 1
    }

    private func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }
}
