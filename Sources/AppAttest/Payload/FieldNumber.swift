/// The numbers of the fields in a receipt's payload that have a name (Apple, Assessing fraud risk).
public enum FieldNumber: Int, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The App ID, text.
    case appID = 2
    /// The attested certificate, DER; the certificate that attestKey made for the key.
    case attestedCertificate = 3
    /// The client data hash that the app handed to attestKey.
    ///
    /// Raw bytes in an ATTEST receipt. In a RECEIPT receipt Apple's server has passed them through a UTF-8 decoder, so
    /// that each octet that is no UTF-8 has become `EF BF BD`: it must never be compared with the hash itself.
    case clientHash = 4
    /// The token: base64 text, the same in all receipts of one attestation.
    case token = 5
    /// The receipt's type: `ATTEST` or `RECEIPT`.
    case receiptType = 6
    /// The environment: `production` or `sandbox`. Apple does not document this field; every receipt has it.
    case environment = 7
    /// The creation time, RFC 3339 text whose fraction loses its trailing zeros.
    case creationTime = 12
    /// The risk metric, decimal text. Absent from ATTEST receipts.
    case riskMetric = 17
    /// The time from which the receipt may be sent. Absent from ATTEST receipts, which may be sent at once.
    case notBefore = 19
    /// The time until which the receipt may be sent.
    case expirationTime = 21

    /// The fields without which a payload is refused.
    public static let required: [FieldNumber] = [
        .appID, .attestedCertificate, .clientHash, .token, .receiptType, .environment, .creationTime, .expirationTime,
    ]

    /// The number and Apple's name: `12 (creation time)`.
    public var description: String { "\(rawValue) (\(name))" }

    /// The field's name in words.
    public var name: String {
        switch self {
        case .appID: "app ID"
        case .attestedCertificate: "attested certificate"
        case .clientHash: "client hash"
        case .token: "token"
        case .receiptType: "receipt type"
        case .environment: "environment"
        case .creationTime: "creation time"
        case .riskMetric: "risk metric"
        case .notBefore: "not before"
        case .expirationTime: "expiration time"
        }
    }
}
