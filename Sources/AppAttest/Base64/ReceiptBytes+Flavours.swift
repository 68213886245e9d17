extension ReceiptBytes {
    /// The most octets of text that are looked at: a receipt of the largest size in hexadecimal, or in base64, wrapped
    /// in short lines.
    private static let textLimit = SignedReceipt.sizeLimit * 2

    /// A receipt in any flavour in which one is stored or answered: raw BER, base64 of any kind that `Base64.decode`
    /// takes, or hexadecimal behind `\x`, as PostgreSQL prints a `bytea`.
    ///
    /// None can be mistaken for another: base64 that begins with `0`, which is the octet 0x30, says bytes that begin no
    /// receipt, and a reverse solidus begins neither. Only the flavour, the size and the first bytes are looked at
    /// here.
    ///
    /// - Throws: `ReceiptError` when it is none of them, is empty or too large, or is a whole attestation object.
    public init(anyFlavour input: [UInt8]) throws(ReceiptError) {
        guard let first = input.first else { throw .empty }
        let isHexadecimal = input.starts(with: Hexadecimal.mark)
        let count = input.count - (isHexadecimal ? Hexadecimal.mark.count : 0)
        guard count <= ReceiptBytes.textLimit else { throw .tooLarge(limit: ReceiptBytes.textLimit, found: count) }
        guard first != BERIdentifier.sequence, !AttestationObject.begins(input) else {
            self = try ReceiptBytes(raw: input)
            return
        }
        guard !isHexadecimal else {
            self = try ReceiptBytes(raw: try ReceiptBytes.decodedHexadecimal(input))
            return
        }
        let decoded: [UInt8]
        do throws(Base64Error) { decoded = try Base64.decode(input) } catch {
            throw error == .empty ? .empty : .notBase64(error)
        }
        self = try ReceiptBytes(raw: decoded)
    }

    /// The same of a string.
    public init(anyFlavour text: String) throws(ReceiptError) {
        try self.init(anyFlavour: Array(text.utf8))
    }

    private static func decodedHexadecimal(_ text: [UInt8]) throws(ReceiptError) -> [UInt8] {
        guard let bytes = Hexadecimal.decode(text.dropFirst(Hexadecimal.mark.count)) else { throw .notHexadecimal }
        return bytes
    }

    private init(raw bytes: [UInt8]) throws(ReceiptError) {
        guard bytes.count <= SignedReceipt.sizeLimit else {
            throw .tooLarge(limit: SignedReceipt.sizeLimit, found: bytes.count)
        }
        guard !AttestationObject.begins(bytes) else { throw .attestationObject }
        guard let first = bytes.first else { throw .empty }
        guard first == BERIdentifier.sequence else { throw .notAReceipt(firstByte: first) }
        self.init(bytes)
    }
}
