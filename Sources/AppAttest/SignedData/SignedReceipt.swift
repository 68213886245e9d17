/// A receipt's envelope taken apart: a CMS SignedData (RFC 5652 § 5) around the payload. Nothing in it is verified.
///
///     let receipt = try SignedReceipt(reading: bytes)
///     let payload = try ReceiptPayload(reading: receipt.content)
///
/// All ranges are offsets in `bytes`, so that what was signed is read from the receipt itself and never re-encoded.
public struct SignedReceipt: Sendable {
    /// The largest receipt that is looked at, in bytes. Genuine ones have about 4,000.
    public static let sizeLimit = 65_536

    /// The receipt as it came.
    public let bytes: [UInt8]
    /// The signed content: the payload, its chunks joined.
    public let content: [UInt8]
    /// The sizes of the chunks that the content came in; nil when it came in one piece.
    public let contentChunks: [Int]?
    /// The SignedData's version.
    public let version: Int
    /// The digest algorithms announced for all signers.
    public let digestAlgorithms: [AlgorithmIdentifier]
    /// The contents of the certificates field, without its header; empty when there is none.
    public let certificatesField: Range<Int>
    /// Each X.509 certificate in the certificates field, whole and in order.
    public let certificates: [Range<Int>]
    /// All signers.
    public let signers: [SignerInfo]
    /// How the envelope is written.
    public let encoding: ReceiptEncoding
    /// Whether it is exactly of the shape in which Apple sends receipts.
    public let fastShape: FastShape

    /// Takes an envelope apart.
    ///
    /// - Throws: `ReceiptError` for more than `sizeLimit` bytes, bytes behind the envelope, needless nesting, content
    ///   that is not attached, and everything that is not a SignedData.
    public init(reading bytes: [UInt8]) throws(ReceiptError) {
        var reader = try SignedDataReader(bytes)
        let outer = try reader.read(bytes)
        self.bytes = bytes
        content = reader.content
        contentChunks = reader.contentChunks
        version = reader.version
        digestAlgorithms = reader.digestAlgorithms
        certificatesField = reader.certificatesField
        certificates = reader.certificates
        signers = reader.signers
        encoding = ReceiptEncoding(of: outer, in: bytes.span)
        fastShape = reader.fastShape
    }

    /// The bytes in one of this receipt's ranges.
    public subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }
}
