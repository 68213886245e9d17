import AttestwatchCommand
import Testing

@Suite("The JSON5 reader")
struct JSON5ReaderTests {
    struct Reading: CustomTestStringConvertible, Sendable {
        let text: String
        let expected: JSON5Value
        var testDescription: String { text }

        init(_ text: String, _ expected: JSON5Value) {
            self.text = text
            self.expected = expected
        }
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let text: String
        let message: String
        var testDescription: String { text }

        init(_ text: String, _ message: String) {
            self.text = text
            self.message = message
        }
    }

    private func read(_ text: String, _ dialect: JSON5Dialect) throws -> JSON5Value {
        try JSON5Document(Array(text.utf8), dialect: dialect).root.value
    }

    private func message(_ text: [UInt8], _ dialect: JSON5Dialect) -> String {
        do throws(JSON5Error) {
            _ = try JSON5Document(text, dialect: dialect)
            return "read"
        } catch {
            return "\(error.place.line):\(error.place.column): expected \(error.expected), found \(error.found)"
        }
    }

    @Test(
        "both languages read plain JSON",
        arguments: [
            Reading("null", .null), Reading(" true ", .bool(true)), Reading("false", .bool(false)),
            Reading("0", .integer(0)), Reading("-12", .integer(-12)), Reading("1.5", .real(1.5)),
            Reading("2e3", .real(2000)), Reading("\"a\\n\\u00e9\\ud83d\\ude00\"", .string("a\né😀")),
            Reading("[]", .array([])), Reading("{}", .object([])),
            Reading("\"\\/\\b\\f\\r\\t\\\\\\\"\"", .string("/\u{8}\u{c}\r\t\\\"")),
        ])
    func both(_ reading: Reading) throws {
        #expect(try read(reading.text, .json) == reading.expected)
        #expect(try read(reading.text, .json5) == reading.expected)
    }

    @Test(
        "JSON5 alone reads what it adds",
        arguments: [
            Reading("// before\n1 /* after */", .integer(1)),
            Reading("'it''s'".replacing("''", with: "\\'"), .string("it's")),
            Reading("0x1F", .integer(31)), Reading("-0xff", .integer(-255)), Reading("+7", .integer(7)),
            Reading(".5", .real(0.5)), Reading("5.", .real(5)), Reading("-.5e1", .real(-5)),
            Reading("-Infinity", .real(-.infinity)), Reading("\"a\\\nb\"", .string("ab")),
            Reading("\"a\\\r\nb\"", .string("ab")), Reading("'\\x41\\0\\q\\v'", .string("A\0q\u{b}")),
            Reading("\u{feff}\u{a0}1\u{2028}", .integer(1)),
        ])
    func json5Only(_ reading: Reading) throws {
        #expect(try read(reading.text, .json5) == reading.expected)
        #expect(throws: JSON5Error.self) { try read(reading.text, .json) }
    }

    @Test("members keep their order, bare and quoted keys mean the same, a last comma changes nothing")
    func members() throws {
        let document = try JSON5Document(Array("{b: 1, 'a-b': [2,], $_9: {},}".utf8), dialect: .json5)
        guard case .object(let members) = document.root.value else {
            Issue.record("expected an object")
            return
        }
        #expect(members.map(\.key) == ["b", "a-b", "$_9"])
        #expect(document.place(of: members[1].keyOffset) == TextPlace(of: 7, in: Array("{b: 1, 'a-b'".utf8)))
    }

    @Test(
        "an error names the place, what was expected and what was found",
        arguments: [
            Refusal("", "1:1: expected a value, found the end of the text"),
            Refusal("{\n  a: 1\n  b: 2\n}", "3:3: expected ',' or '}', found 'b'"),
            Refusal("{a: 1, a: 2}", "1:8: expected each key once, found \"a\" again (first at line 1, column 2)"),
            Refusal("{a: 1, 'a': 2}", "1:8: expected each key once, found \"a\" again (first at line 1, column 2)"),
            Refusal("[1 2]", "1:4: expected ',' or ']', found '2'"),
            Refusal("{a 1}", "1:4: expected ':' after the key \"a\", found '1'"),
            Refusal("{1a: 1}", "1:2: expected a key, found '1a'"),
            Refusal("{,}", "1:2: expected a key, found ','"),
            Refusal("[,]", "1:2: expected a value, found ','"),
            Refusal("{a: yes}", "1:5: expected a value, found 'yes'"),
            Refusal("1 2", "1:3: expected the end of the text, found '2'"),
            Refusal(
                "'ab", "1:4: expected a closing quote for the string from line 1, column 1, found the end of the text"),
            Refusal("'a\nb'", "1:3: expected a closing quote before the end of the line, found the end of the line"),
            Refusal("'é' x", "1:5: expected the end of the text, found 'x'"),
            Refusal("/* a", "1:5: expected '*/' to end the comment from line 1, column 1, found the end of the text"),
            Refusal("/a", "1:1: expected a comment, found '/'"),
            Refusal("0x", "1:1: expected a hexadecimal number that fits, found '0x'"),
            Refusal("012", "1:1: expected a number without leading zeros, found '012'"),
            Refusal("1e", "1:3: expected a digit, found the end of the text"),
            Refusal(".", "1:2: expected a digit, found the end of the text"),
            Refusal("12ab", "1:3: expected the end of the number, found 'ab'"),
            Refusal("1e999", "1:1: expected a number that fits, found '1e999'"),
            Refusal("'\\u12'", "1:6: expected 4 hexadecimal digits, found '''"),
            Refusal("'\\ud800'", "1:8: expected a whole surrogate pair, found '''"),
            Refusal("'\\udc00\\udc00'", "1:8: expected a whole surrogate pair, found '\\'"),
            Refusal("'\\01'", "1:4: expected no digit after \\0, found '1'"),
            Refusal("'\\1'", "1:3: expected an escape, found '1'"),
            Refusal("[\u{1}]", "1:2: expected a value, found byte 0x01"),
        ])
    func refusals(_ refusal: Refusal) {
        #expect(message(Array(refusal.text.utf8), .json5) == refusal.message)
    }

    @Test(
        "JSON refuses control characters in strings, odd numbers and a byte order mark",
        arguments: [
            Refusal("\"a\tb\"", "1:3: expected an escape for a control character, found byte 0x09"),
            Refusal("01", "1:1: expected a number without leading zeros, found '01'"),
            Refusal("1.", "1:3: expected a digit, found the end of the text"),
            Refusal("-", "1:2: expected a digit, found the end of the text"),
            Refusal("\u{feff}1", "1:1: expected a value, found '\u{feff}'"),
            Refusal("[1,]", "1:4: expected a value, found ']'"),
            Refusal("{\"a\":1,}", "1:8: expected a key, found '}'"),
        ])
    func strictRefusals(_ refusal: Refusal) {
        #expect(message(Array(refusal.text.utf8), .json) == refusal.message)
    }

    @Test("a text that is not UTF-8 is refused at the first wrong byte")
    func encoding() {
        #expect(message([0x22, 0x61, 0xff, 0x22], .json) == "1:3: expected UTF-8, found byte 0xff")
        #expect(message([0x22, 0xed, 0xa0, 0x80, 0x22], .json5) == "1:2: expected UTF-8, found byte 0xed")
    }

    @Test("nesting ends at 64 levels")
    func depth() {
        func nested(_ levels: Int) -> [UInt8] {
            Array((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
        }
        #expect(message(nested(64), .json) == "read")
        #expect(message(nested(65), .json) == "1:65: expected at most 64 levels of nesting, found '['")
    }

    @Test("a truncated text is refused at every length and traps at none")
    func truncation() {
        let whole = Array("{a: [1, 'b\\u0041', 0x1F], /* c */ \"d\": -1.5e3, e: {f: null}}".utf8)
        for length in 0..<whole.count {
            #expect(message(Array(whole[..<length]), .json5) != "read")
        }
        #expect(message(whole, .json5) == "read")
    }
}
