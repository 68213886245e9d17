import AppAttest
import Testing

@Suite("RFC 3339 times")
struct RFC3339Tests {
    @Test(
        "fractions of no, one, two, three, six, nine and more digits are read",
        arguments: [
            ("2026-10-09T07:25:21Z", 0), ("2026-10-09T07:25:21.4Z", 400_000), ("2026-10-09T07:25:21.46Z", 460_000),
            ("2026-10-09T07:25:21.624Z", 624_000), ("2026-10-09T07:25:21.000001Z", 1),
            ("2026-10-09T07:25:21.123456789Z", 123_456), ("2026-10-09T07:25:21.9999999999999Z", 999_999),
        ])
    func fractions(text: String, microseconds: Int64) throws {
        #expect(try Instant(rfc3339: text) == Instant(microseconds: 1_791_530_721_000_000 + microseconds))
    }

    @Test(
        "an offset instead of Z, and lower case, mean the same instant",
        arguments: [
            "2026-10-09T09:25:21+02:00", "2026-10-08T23:55:21-07:30", "2026-10-09T07:25:21-00:00",
            "2026-10-09t07:25:21z",
        ])
    func offsets(text: String) throws {
        #expect(try Instant(rfc3339: text) == Instant(seconds: 1_791_530_721))
    }

    @Test("a leap second means the second behind it, in any offset")
    func leapSecond() throws {
        let newYear = Instant(seconds: 1_483_228_800)
        #expect(try Instant(rfc3339: "2016-12-31T23:59:60Z") == newYear)
        #expect(try Instant(rfc3339: "2017-01-01T00:59:60.5+01:00") == newYear + .milliseconds(500))
        #expect(throws: RFC3339Error.misplacedLeapSecond(minuteOfDay: 1_438)) {
            try Instant(rfc3339: "2016-12-31T23:58:60Z")
        }
        #expect(throws: RFC3339Error.misplacedLeapSecond(minuteOfDay: 1_379)) {
            try Instant(rfc3339: "2016-12-31T23:59:60+01:00")
        }
    }

    @Test(
        "dates and times that do not exist are refused with the range",
        arguments: [
            ("2026-02-29T00:00:00Z", .outOfRange(.day, expected: 1...28, found: 29)),
            ("2100-02-29T00:00:00Z", .outOfRange(.day, expected: 1...28, found: 29)),
            ("2024-02-30T00:00:00Z", .outOfRange(.day, expected: 1...29, found: 30)),
            ("2026-04-31T00:00:00Z", .outOfRange(.day, expected: 1...30, found: 31)),
            ("2026-13-01T00:00:00Z", .outOfRange(.month, expected: 1...12, found: 13)),
            ("2026-00-01T00:00:00Z", .outOfRange(.month, expected: 1...12, found: 0)),
            ("2026-01-00T00:00:00Z", .outOfRange(.day, expected: 1...31, found: 0)),
            ("1969-12-31T23:59:59Z", .outOfRange(.year, expected: 1_970...9_999, found: 1_969)),
            ("2026-01-01T24:00:00Z", .outOfRange(.hour, expected: 0...23, found: 24)),
            ("2026-01-01T00:60:00Z", .outOfRange(.minute, expected: 0...59, found: 60)),
            ("2026-01-01T00:00:61Z", .outOfRange(.second, expected: 0...60, found: 61)),
            ("2026-01-01T00:00:00+24:00", .outOfRange(.offsetHour, expected: 0...23, found: 24)),
            ("2026-01-01T00:00:00+00:60", .outOfRange(.offsetMinute, expected: 0...59, found: 60)),
        ] as [(String, RFC3339Error)])
    func nonExisting(text: String, expected: RFC3339Error) {
        #expect(throws: expected) { try Instant(rfc3339: text) }
    }

    @Test(
        "other forms are refused",
        arguments: [
            "", "2026", "2026-10-09", "2026-10-09 07:25:21Z", "2026-10-09T07:25:21", "2026-10-09T07:25Z",
            "2026-10-09T07:25:21.Z", "2026-10-09T07:25:21,5Z", "2026-10-09T07:25:21+0200", "2026-10-09T07:25:21+02",
            " 2026-10-09T07:25:21Z", "2026-10-09T07:25:21Z ", "26-10-09T07:25:21Z", "+2026-10-09T07:25:21Z",
            "2026-1-09T07:25:21Z", "2026-10-09T07:25:21Zulu", "2026-10-09T07:25:21.٣Z",
            "2026-10-09T07:25:21." + String(repeating: "0", count: 64) + "Z",
        ])
    func otherForms(text: String) {
        #expect(throws: RFC3339Error.self) { try Instant(rfc3339: text) }
    }

    @Test("leap years by the Gregorian rules", arguments: ["2000-02-29", "2024-02-29", "2400-02-29"])
    func leapYears(date: String) throws {
        #expect(try Instant(rfc3339: date + "T12:00:00Z").rfc3339 == date + "T12:00:00Z")
    }

    @Test(
        "an instant is written without trailing zeros, in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59.999999Z"), (460_000, "1970-01-01T00:00:00.46Z"),
            (10, "1970-01-01T00:00:00.00001Z"), (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00Z"),
        ])
    func writing(microseconds: Int64, text: String) {
        #expect(Instant(microseconds: microseconds).rfc3339 == text)
    }

    @Test("every day from 1970 to 2400 is written and read back as the day after its yesterday")
    func everyDay() throws {
        var yesterday = ""
        for day in 0..<157_054 as Range<Int64> {
            let instant = Instant(seconds: day * 86_400 + 43_200)
            let text = instant.rfc3339
            #expect(try Instant(rfc3339: text) == instant)
            #expect(text > yesterday)
            yesterday = text
        }
        #expect(yesterday == "2399-12-31T12:00:00Z")
    }
}
