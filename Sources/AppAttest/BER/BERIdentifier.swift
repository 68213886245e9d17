/// The identifier octets of the elements that receipts are made of (X.690 § 8.1.2).
enum BERIdentifier {
    /// INTEGER.
    static let integer: UInt8 = 0x02
    /// OCTET STRING, primitive.
    static let octetString: UInt8 = 0x04
    /// OCTET STRING, constructed of chunks.
    static let constructedOctetString: UInt8 = 0x24
    /// NULL.
    static let null: UInt8 = 0x05
    /// OBJECT IDENTIFIER.
    static let objectIdentifier: UInt8 = 0x06
    /// SEQUENCE or SEQUENCE OF.
    static let sequence: UInt8 = 0x30
    /// SET or SET OF.
    static let set: UInt8 = 0x31
    /// Context-specific [0], primitive.
    static let primitiveContext0: UInt8 = 0x80
    /// Context-specific [0], constructed.
    static let context0: UInt8 = 0xa0
    /// Context-specific [1], constructed.
    static let context1: UInt8 = 0xa1

    /// The bit that says "constructed".
    static let constructedBit: UInt8 = 0x20
}
