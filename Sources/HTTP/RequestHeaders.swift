import CCurl

/// Header lines in libcurl's form, made once and used for many requests.
///
/// A class because libcurl holds the list while a request is on its way; it is freed with the last reference. Its text
/// form says nothing, since a credential is usually among the lines.
@safe
// because the list is never changed once it is made, and libcurl only reads it
package final class RequestHeaders: @unchecked Sendable, CustomStringConvertible {
    let list: UnsafeMutablePointer<curl_slist>?

    /// Makes the list from names and values.
    ///
    /// Nil where a name is not a token of letters, digits and hyphens, or a value holds a control character or is
    /// empty.
    package init?(_ fields: [(name: String, value: String)]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields {
            let isWritten = RequestHeaders.isName(field.name) && RequestHeaders.isValue(field.value)
            let longer = isWritten ? unsafe curl_slist_append(list, "\(field.name): \(field.value)") : nil
            guard let longer = unsafe longer else {
                unsafe curl_slist_free_all(list)
                return nil
            }
            unsafe list = longer
        }
        unsafe self.list = list
    }

    deinit { unsafe curl_slist_free_all(list) }

    package var description: String { "<redacted header lines>" }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }

    private static func isValue(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }
}
