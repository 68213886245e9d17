import AppAttest

/// One line of what a back end brings: a key and its receipt, read but not verified.
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

    /// The members that a line may have.
    static let keys = [
        "app_id", "key_id", "receipt", "environment", "device_ref", "user_ref", "attested_time",
    ]

    /// Reads a line of JSON. An optional member that is null counts as absent.
    init(_ text: [UInt8]) throws(IngestRejection) {
        let members = try Self.members(text)
        func string(_ key: String) throws(IngestRejection) -> String? {
            switch members[key] {
            case nil, .null: return nil
            case .string(let text): return text
            case .bool(let value): throw .member(key, expected: "a string", found: "\(value)")
            case .some(let value): throw .member(key, expected: "a string", found: value.kind)
            }
        }
        func required<Value>(
            _ key: String, _ expected: String, _ make: (String) -> Value?
        ) throws(IngestRejection) -> Value {
            guard let text = try string(key) else { throw .member(key, expected: expected, found: "none") }
            guard let value = make(text) else { throw .member(key, expected: expected, found: "another string") }
            return value
        }
        func optional<Value>(
            _ key: String, _ expected: String, _ make: (String) -> Value?
        ) throws(IngestRejection) -> Value? {
            guard let text = try string(key) else { return nil }
            guard let value = make(text) else { throw .member(key, expected: expected, found: "another string") }
            return value
        }
        self.appID = try required("app_id", "an App ID such as A1B2C3D4E5.com.example.app", AppID.init)
        self.keyID = try required("key_id", "32 bytes in base64", Self.keyID)
        self.receipt = try Self.receipt(try required("receipt", "a receipt in base64") { $0 })
        self.environment = try optional("environment", "production or development", Environment.init(rawValue:))
        self.deviceRef = try string("device_ref")
        self.userRef = try string("user_ref")
        self.attestedTime = try optional("attested_time", "an RFC 3339 time") { try? Instant(rfc3339: $0) }
    }

    private static func members(_ text: [UInt8]) throws(IngestRejection) -> [String: JSON5Value] {
        let document: JSON5Document
        do throws(JSON5Error) {
            document = try JSON5Document(text, dialect: .json)
        } catch {
            throw .notJSON(error)
        }
        guard case .object(let found) = document.root.value else { throw .notAnObject(document.root.value.kind) }
        var members: [String: JSON5Value] = [:]
        for member in found {
            guard keys.contains(member.key) else {
                throw .unknownMember(member.key, nearest: nearestWord(to: member.key, among: keys))
            }
            members[member.key] = member.node.value
        }
        return members
    }

    private static func keyID(_ text: String) -> KeyIdentifier? {
        guard let bytes = try? Base64.decode(text) else { return nil }
        return KeyIdentifier(bytes)
    }

    private static func receipt(_ text: String) throws(IngestRejection) -> ReceiptBytes {
        do throws(ReceiptError) {
            return try ReceiptBytes(anyFlavour: text)
        } catch {
            throw .receipt(error)
        }
    }
}
