/// The content octets of the object identifiers that a receipt's envelope is known by.
enum ObjectIdentifiers {
    /// id-signedData, 1.2.840.113549.1.7.2 (RFC 5652 § 5.1).
    static let signedData: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]
    /// id-data, 1.2.840.113549.1.7.1 (RFC 5652 § 4).
    static let data: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01]
    /// id-sha256, 2.16.840.1.101.3.4.2.1 (RFC 5754 § 2.2).
    static let sha256: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    /// ecdsa-with-SHA256, 1.2.840.10045.4.3.2 (RFC 5758 § 3.2).
    static let ecdsaWithSHA256: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]
}
