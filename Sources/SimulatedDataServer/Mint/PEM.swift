import FoundationEssentials

/// PEM text (RFC 7468): DER in base64 between two lines that name it.
package enum PEM {
    /// The text for one object, in lines of 64 characters.
    package static func encode(_ label: String, _ der: [UInt8]) -> String {
        let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    }

    /// The first object with that label; nil when there is none or its base64 is broken.
    package static func decode(_ label: String, in text: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(of: "-----BEGIN \(label)-----"),
            let end = lines[start...].firstIndex(of: "-----END \(label)-----"),
            let data = Data(base64Encoded: lines[(start + 1)..<end].joined())
        else { return nil }
        return [UInt8](data)
    }
}
