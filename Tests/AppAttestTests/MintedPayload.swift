/// A payload whose fields a test can change before it is written.
struct MintedPayload {
    /// One entry: number, version, and what stands in the place of the value, a whole element.
    struct Entry {
        var number: UInt8
        var version: UInt8 = 1
        var value: [UInt8]
    }

    var entries: [Entry]

    /// An entry with a text for its value.
    static func text(_ number: UInt8, _ text: String) -> Entry {
        Entry(number: number, value: ber(0x04, Array(text.utf8)))
    }

    /// As it comes with an attestation: no risk metric, no not-before.
    static var attest: MintedPayload {
        MintedPayload(entries: [
            text(2, "TEAMID1234.com.example.app"),
            Entry(number: 3, value: ber(0x04, sequence(ber(0x04, [UInt8](repeating: 7, count: 900))))),
            Entry(number: 4, value: ber(0x04, Array(0..<32))),
            text(5, String(repeating: "abcdefgh", count: 11)),
            text(6, "ATTEST"),
            text(7, "sandbox"),
            text(12, "2026-10-09T07:25:21.624Z"),
            text(21, "2027-01-07T07:25:21.624Z"),
        ])
    }

    /// As the data server answers.
    static var receipt: MintedPayload {
        var payload = attest
        payload.entries.insert(text(17, "12"), at: 0)
        payload.entries.append(text(19, "2026-10-10T07:25:21.624Z"))
        payload.set(6, "RECEIPT")
        return payload
    }

    /// Gives a field another text, or adds the field.
    mutating func set(_ number: UInt8, _ text: String) {
        remove(number)
        entries.append(MintedPayload.text(number, text))
    }

    mutating func remove(_ number: UInt8) {
        entries.removeAll { $0.number == number }
    }

    var written: [UInt8] {
        ber(0x31, entries.flatMap { sequence([2, 1, $0.number], [2, 1, $0.version], $0.value) })
    }
}
