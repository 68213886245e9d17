import AppAttest

extension Instant {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// An IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 § 5.6.7); nil for anything else, the two obsolete
    /// forms among them. The name of the day is not looked at.
    package init?(httpDate text: String) {
        let text = Array(text.utf8)
        let blanks = [4, 7, 11, 16, 25]
        guard text.count == 29, text[3] == UInt8(ascii: ","), text[26...].elementsEqual("GMT".utf8),
            text.indices.allSatisfy({ (text[$0] == UInt8(ascii: " ")) == blanks.contains($0) }),
            let month = Instant.months.firstIndex(where: text[8..<11].elementsEqual)
        else { return nil }
        // The same digits in another order.
        var sorted = Array("0000-00-00T00:00:00Z".utf8)
        sorted.replaceSubrange(0..<4, with: text[12..<16])
        sorted[5] += UInt8((month + 1) / 10)
        sorted[6] += UInt8((month + 1) % 10)
        sorted.replaceSubrange(8..<10, with: text[5..<7])
        sorted.replaceSubrange(11..<19, with: text[17..<25])
        do throws(RFC3339Error) {
            self = try Instant(rfc3339: sorted)
        } catch {
            return nil
        }
    }
}
