import AppAttest

/// One row of what a back end brings: a key and its receipt, read but not verified.
struct IngestLine: Hashable, Sendable {
    /// Whose app it is said to be.
    let appID: AppID
    /// Whose key it is said to be.
    let keyID: KeyIdentifier
    /// Its newest receipt.
    let receipt: ReceiptBytes
    /// The environment it is said to be of; nil leaves that to the receipt.
    let environment: Environment?
    /// The back end's own name of the device.
    let deviceRef: String?
    /// The back end's own name of the user.
    let userRef: String?
    /// When the key was attested; nil leaves that to the receipt.
    let attestedTime: Instant?

    /// Understands the texts of a row.
    init(_ fields: IngestFields) throws(IngestRejection) {
        func optional<Value>(
            _ column: IngestColumn, _ expected: String, _ make: (String) -> Value?
        ) throws(IngestRejection) -> Value? {
            guard let text = fields[column] else { return nil }
            guard let value = make(text) else {
                throw .member(column.rawValue, expected: expected, found: "another string")
            }
            return value
        }
        func required<Value>(
            _ column: IngestColumn, _ expected: String, _ make: (String) -> Value?
        ) throws(IngestRejection) -> Value {
            guard let value = try optional(column, expected, make) else {
                throw .member(column.rawValue, expected: expected, found: "none")
            }
            return value
        }
        self.appID = try required(.appID, "an App ID such as A1B2C3D4E5.com.example.app", AppID.init)
        self.keyID = try required(.keyID, "32 bytes in base64 or hexadecimal", KeyIdentifierText.parse)
        self.receipt = try Self.receipt(try required(.receipt, "a receipt in base64 or hexadecimal") { $0 })
        self.environment = try optional(.environment, "production or development", Environment.init(rawValue:))
        self.deviceRef = fields[.deviceRef]
        self.userRef = fields[.userRef]
        self.attestedTime = try optional(
            .attestedTime, "a time such as 2026-10-09T07:25:21Z or 2026-10-09 07:25:21+00", Self.time)
    }

    private static func receipt(_ text: String) throws(IngestRejection) -> ReceiptBytes {
        do throws(ReceiptError) {
            return try ReceiptBytes(anyFlavour: text)
        } catch {
            throw .receipt(error)
        }
    }

    /// RFC 3339, or what PostgreSQL prints of a `timestamptz`: a space for the T, and an offset whose minutes are left
    /// out where they are zero.
    private static func time(_ text: String) -> Instant? {
        if let time = try? Instant(rfc3339: text) { return time }
        var octets = Array(text.utf8)
        guard octets.count > 19, octets[10] == UInt8(ascii: " ") else { return nil }
        octets[10] = UInt8(ascii: "T")
        if [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(octets[octets.count - 3]) { octets += Array(":00".utf8) }
        return try? Instant(rfc3339: octets)
    }
}
