/// What a receipt says: the fields of its payload, by Apple's numbers. Whether to believe it is `Verification`'s
/// matter.
public struct ReceiptPayload: Hashable, Sendable {
    /// Field 2.
    public let appID: AppID
    /// Field 3: the attested certificate, DER.
    public let attestedCertificate: [UInt8]
    /// Field 4: the client data hash as handed to attestKey; in a RECEIPT receipt Apple has mangled it (see
    /// `FieldNumber`).
    public let clientHash: [UInt8]
    /// Field 5: the token, base64 text of 64 bytes, the same through all receipts of one attestation.
    public let token: [UInt8]
    /// Field 6.
    public let type: ReceiptType
    /// Field 7.
    public let environment: Environment
    /// Field 12.
    public let creationTime: ReceiptTime
    /// Field 17: how many keys this app attested on this device in 30 days; nil is *unknown*, never 0.
    public let riskMetric: Int?
    /// Field 19; an ATTEST receipt has none and may be sent at once.
    public let notBefore: ReceiptTime?
    /// Field 21.
    public let expirationTime: ReceiptTime
    /// Fields with numbers this program has no name for, in the order they came.
    public let unknownFields: [ReceiptField]

    /// Puts a payload together from fields read elsewhere.
    public init(
        appID: AppID, attestedCertificate: [UInt8], clientHash: [UInt8], token: [UInt8], type: ReceiptType,
        environment: Environment, creationTime: ReceiptTime, riskMetric: Int?, notBefore: ReceiptTime?,
        expirationTime: ReceiptTime, unknownFields: [ReceiptField]
    ) {
        self.appID = appID
        self.attestedCertificate = attestedCertificate
        self.clientHash = clientHash
        self.token = token
        self.type = type
        self.environment = environment
        self.creationTime = creationTime
        self.riskMetric = riskMetric
        self.notBefore = notBefore
        self.expirationTime = expirationTime
        self.unknownFields = unknownFields
    }
}

/// Field 6 of a receipt: what it was made for.
public enum ReceiptType: String, Hashable, Sendable {
    /// Came with an attestation; has no risk metric.
    case attest = "ATTEST"
    /// Came from the data server.
    case receipt = "RECEIPT"
}

/// A time as a receipt writes it, and the instant it means.
public struct ReceiptTime: Hashable, Sendable {
    /// RFC 3339 text as it stands in the receipt; its fraction has no fixed number of digits.
    public let text: String
    /// The same as an instant; digits below a microsecond are dropped.
    public let instant: Instant

    /// Puts text and its meaning together.
    public init(text: String, instant: Instant) {
        self.text = text
        self.instant = instant
    }
}

/// One entry of a receipt's payload, as it came.
public struct ReceiptField: Hashable, Sendable {
    /// The field's number.
    public let number: Int
    /// The entry's version; 1 in all receipts seen.
    public let version: Int
    /// The octets of the value.
    public let value: [UInt8]

    /// Puts an entry together.
    public init(number: Int, version: Int, value: [UInt8]) {
        self.number = number
        self.version = version
        self.value = value
    }
}
