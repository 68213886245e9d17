import AppAttest

extension Instant {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// An IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 § 5.6.7); nil for anything else, the two obsolete
    /// forms among them. The name of the day is not looked at.
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[0].utf8.last == UInt8(ascii: ","), parts[5] == "GMT",
            let month = Instant.months.firstIndex(of: String(parts[2]))
        else { return nil }
        let monthDigits = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        do throws(RFC3339Error) {
            self = try Instant(rfc3339: "\(parts[3])-\(monthDigits)-\(parts[1])T\(parts[4])Z")
        } catch {
            return nil
        }
    }
}
