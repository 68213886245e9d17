import Reporting

/// What an error text repeats of an input: its first safe characters, and a sign when there is more.
func excerpt(_ text: String, limit: Int = 60) -> String {
    let start = text.unicodeScalars.prefix(limit)
    let isCut = start.endIndex < text.unicodeScalars.endIndex
    return printable(String(String.UnicodeScalarView(start))) + (isCut ? "…" : "")
}
