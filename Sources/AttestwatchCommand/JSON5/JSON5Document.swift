/// A text that was read whole, and the places of its parts.
package struct JSON5Document: Sendable {
    /// The outermost value.
    package let root: JSON5Node
    private let text: [UInt8]

    /// Reads a text that holds one value and, but for white space and comments, nothing else.
    ///
    /// - Throws: what was expected and found, and where. Nothing of the text is returned on an error.
    package init(_ text: [UInt8], dialect: JSON5Dialect) throws(JSON5Error) {
        var reader = JSON5Reader(text, dialect: dialect)
        self.root = try reader.readDocument()
        self.text = text
    }

    /// Line and column of an offset.
    package func place(of offset: Int) -> TextPlace {
        TextPlace(of: offset, in: text)
    }
}

/// Which of the two languages a text is held to.
package enum JSON5Dialect: Hashable, Sendable {
    /// RFC 8259 to the letter, and no key twice.
    case json
    /// JSON5 1.0.0, and no key twice; bare keys are ASCII.
    case json5
}

/// A place in a text, for people: both numbers begin at 1.
package struct TextPlace: Hashable, Sendable {
    /// The line.
    package let line: Int
    /// The column, counted in Unicode scalars.
    package let column: Int

    /// Finds the place of a byte offset; lines end with LF, CRLF or CR.
    package init(of offset: Int, in text: [UInt8]) {
        var line = 1
        var column = 1
        for index in 0..<min(offset, text.count) {
            let byte = text[index]
            let isLineFeed = byte == UInt8(ascii: "\n")
            let isLoneReturn = byte == UInt8(ascii: "\r") && !(index + 1 < text.count && text[index + 1] == 0x0a)
            if isLineFeed || isLoneReturn {
                line += 1
                column = 1
            } else if byte & 0xc0 != 0x80 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}

/// Why a text could not be read.
package struct JSON5Error: Error, Hashable, Sendable {
    /// Where.
    package let place: TextPlace
    /// What would have been right there.
    package let expected: String
    /// What stands there.
    package let found: String
}
