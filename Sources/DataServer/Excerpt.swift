/// What may be kept of a server's words: printable, short, and nothing that could be a receipt or a JWT it sends back.
enum Excerpt {
    /// Characters kept of a body.
    private static let limit = 200
    /// Characters kept of an identifier.
    private static let identifierLimit = 64
    /// A run of so many characters of base64 may be a credential. English words are shorter.
    private static let longestRun = 39

    /// The first 200 safe characters; nil when there is none.
    static func of(_ body: [UInt8]) -> String? {
        var kept: [UInt8] = []
        var rest = body[...]
        while let first = rest.first, kept.count < limit {
            let run = rest.prefix(while: belongsToRun)
            if run.isEmpty {
                kept.append((0x20...0x7e).contains(first) ? first : UInt8(ascii: " "))
                rest = rest.dropFirst()
            } else {
                kept += run.count > longestRun ? Array("<redacted>".utf8) : run.map { $0 > 0x20 ? $0 : 0x20 }
                rest = rest.dropFirst(run.count)
            }
        }
        let text = String(decoding: kept.prefix(limit), as: UTF8.self)
        return text.allSatisfy { $0 == " " } ? nil : text
    }

    /// The same of a text.
    static func of(_ text: String) -> String? {
        of(Array(text.utf8))
    }

    /// Letters, digits and hyphens of a trace identifier, at most 64; nil when there is none.
    static func identifier(_ text: String) -> String? {
        let kept = text.utf8.filter { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }.prefix(identifierLimit)
        return kept.isEmpty ? nil : String(decoding: kept, as: UTF8.self)
    }

    /// Characters of base64, base64url and a JWT, the line ends that may stand among them, and what escapes either.
    private static func belongsToRun(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "+/=-_.\\%\r\n".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
}
