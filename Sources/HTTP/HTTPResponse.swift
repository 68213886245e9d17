/// An answer as it came: status, header lines and body. No redirect was followed and no encoding undone.
package struct HTTPResponse: Hashable, Sendable {
    /// The status code of the last answer line.
    package let status: Int
    /// Its header lines.
    package let headers: ResponseHeaders
    /// Its body, at most the client's limit.
    package let body: [UInt8]

    /// Puts an answer together.
    package init(status: Int, headers: ResponseHeaders, body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The header lines of an answer, kept as bytes and looked through when somebody asks.
package struct ResponseHeaders: Hashable, Sendable {
    /// Lines as libcurl hands them out, each with its line end.
    private let lines: [UInt8]

    /// Takes header lines over, each `Name: value` with a line end.
    package init(lines: [UInt8]) {
        self.lines = lines
    }

    /// The first value of a header, without white space around it. `name` is written in lower case.
    package subscript(_ name: String) -> String? {
        var rest = lines[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0a && $0 != 0x0d }
            rest = rest[line.endIndex...].drop { $0 == 0x0a || $0 == 0x0d }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon - line.startIndex == name.utf8.count,
                line[..<colon].elementsEqual(name.utf8, by: { lowerCased($0) == $1 })
            else { continue }
            let value = line[(colon + 1)...].drop(while: isBlank)
            let end = value.lastIndex { !isBlank($0) } ?? value.startIndex - 1
            return String(decoding: value[value.startIndex..<end + 1], as: UTF8.self)
        }
        return nil
    }

    private func lowerCased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}
