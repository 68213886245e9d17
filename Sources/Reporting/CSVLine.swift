/// One line of CSV as RFC 4180 has it, safe to open in a spreadsheet.
package enum CSVLine {
    /// The fields joined by commas and ended by CRLF; nil is an empty field.
    ///
    /// A text that a spreadsheet would take for a formula gets an apostrophe before it, the spreadsheets' own mark for
    /// plain text: some of these come from the devices under suspicion. The JSON form has them unchanged.
    package static func text(_ fields: [String?]) -> String {
        fields.map { field($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        let plain = defused(text)
        let needsQuotes = plain.unicodeScalars.contains { $0 == "," || $0 == "\"" || $0 == "\r" || $0 == "\n" }
        guard needsQuotes else { return plain }
        var quoted = "\""
        for scalar in plain.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    private static func defused(_ text: String) -> String {
        switch text.unicodeScalars.first {
        case "=", "+", "-", "@", "\t", "\r", "\n": "'" + text
        default: text
        }
    }
}
