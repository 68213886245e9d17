import Foundation
import Reporting
import Testing

@Suite("JSON text")
struct JSONValueTests {
    @Test("members keep their order and nil is null")
    func order() {
        let value = JSONValue.object([
            "z": .integer(1), "a": .text(nil), "list": .array([.bool(true), .number(nil), .string("x")]),
        ])
        #expect(value.text == #"{"z":1,"a":null,"list":[true,null,"x"]}"#)
    }

    @Test(
        "a string is read back as it was, on one line",
        arguments: ["", "plain", "\"\\/", "a\nb\r\tc", "\u{0}\u{1f}\u{7f}", "é😀", "\u{2028}\u{2029}"])
    func strings(string: String) throws {
        let text = JSONValue.object(["s": .string(string)]).text
        #expect(!text.contains { $0.isNewline })
        let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
        #expect(read == ["s": string])
    }
}
