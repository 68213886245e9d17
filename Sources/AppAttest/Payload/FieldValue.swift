/// Reads the octets of single fields. They are the value itself: text is never wrapped in an inner ASN.1 string, so
/// that the metric "12" is the octets 31 32 although they look like the header of a SET.
enum FieldValue {
    /// The longest risk metric, in digits. Apple's have one or two.
    static let metricDigits = 9

    /// Octets that only have to be there.
    static func octets(_ value: [UInt8], of field: FieldNumber) throws(ReceiptError) -> [UInt8] {
        guard !value.isEmpty else { throw .fieldValue(field, expected: "a value", found: "no octets") }
        return value
    }

    /// Field 2.
    static func appID(_ value: [UInt8]) throws(ReceiptError) -> AppID {
        guard let appID = AppID(String(decoding: value, as: UTF8.self)) else {
            throw .fieldValue(.appID, expected: "ten characters, a dot and a bundle identifier", found: shown(value))
        }
        return appID
    }

    /// Field 6.
    static func receiptType(_ value: [UInt8]) throws(ReceiptError) -> ReceiptType {
        guard let type = ReceiptType(rawValue: String(decoding: value, as: UTF8.self)) else {
            throw .fieldValue(.receiptType, expected: "ATTEST or RECEIPT", found: shown(value))
        }
        return type
    }

    /// Field 7.
    static func environment(_ value: [UInt8]) throws(ReceiptError) -> Environment {
        guard let environment = Environment(receiptField: String(decoding: value, as: UTF8.self)) else {
            throw .fieldValue(.environment, expected: "production or sandbox", found: shown(value))
        }
        return environment
    }

    /// Field 17: decimal digits and nothing else. A field without digits is an error, because the absence of a metric
    /// is told by the absence of the field.
    static func riskMetric(_ value: [UInt8]) throws(ReceiptError) -> Int {
        guard (1...metricDigits).contains(value.count), value.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .fieldValue(.riskMetric, expected: "1 to \(metricDigits) decimal digits", found: shown(value))
        }
        return value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Fields 12, 19 and 21.
    static func time(_ value: [UInt8], of field: FieldNumber) throws(ReceiptError) -> ReceiptTime {
        do throws(RFC3339Error) {
            let instant = try Instant(rfc3339: value)
            return ReceiptTime(text: String(decoding: value, as: UTF8.self), instant: instant)
        } catch {
            throw .fieldTime(field, error)
        }
    }

    /// At most 40 octets in quotes for a person to read; whatever is not printable ASCII shows as a dot.
    static func shown(_ value: [UInt8]) -> String {
        guard !value.isEmpty else { return "no octets" }
        let printable = value.prefix(40).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: ".") }
        let text = "\"\(String(decoding: printable, as: UTF8.self))\""
        return value.count > 40 ? "\(text) and \(value.count - 40) more octets" : text
    }
}
