/// Why text is not an RFC 3339 time. Offsets count from the first octet of the text.
public enum RFC3339Error: Error, Hashable, Sendable {
    /// The parts of a time that are written as numbers.
    public enum Part: String, Hashable, Sendable {
        case year, month, day, hour, minute, second
        case offsetHour = "offset hour"
        case offsetMinute = "offset minute"
    }

    /// Not what has to stand at `offset`; `found` is nil at the end of the text.
    case unexpected(expected: String, found: UInt8?, offset: Int)
    /// A number outside its range.
    case outOfRange(Part, expected: ClosedRange<Int>, found: Int)
    /// Second 60 at another time than 23:59 UTC; `minuteOfDay` is the minute in UTC that was found.
    case misplacedLeapSecond(minuteOfDay: Int)
    /// Text behind the time.
    case surplus(count: Int, offset: Int)
    /// More octets than a time may have.
    case tooLong(limit: Int, found: Int)
}

extension RFC3339Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unexpected(let expected, nil, let offset):
            "expected \(expected) at offset \(offset) of the time, found its end"
        case .unexpected(let expected, .some(let found), let offset):
            "expected \(expected) at offset \(offset) of the time, found \(FieldValue.shown([found]))"
        case .outOfRange(let part, let range, let found):
            "expected \(part.rawValue) \(range.lowerBound) to \(range.upperBound), found \(found)"
        case .misplacedLeapSecond(let minute):
            "expected second 60 only at 23:59 UTC, found it at \(minute / 60) h \(minute % 60) min UTC"
        case .surplus(let count, let offset):
            "expected the time to end at offset \(offset), found \(count) more octets"
        case .tooLong(let limit, let found):
            "expected a time of at most \(limit) octets, found \(found)"
        }
    }
}
