import SimulatedDataServer

extension EditableReceipt {
    /// Signs contentType and messageDigest instead of the content (RFC 5652 § 5.4) as `signer`, certificates and all.
    mutating func signAttributes(by signer: ReceiptSigner, digest: [UInt8]) throws {
        let attributes =
            TLV.hex("30 18 06 09 2a 86 48 86 f7 0d 01 09 03 31 0b") + TLV.data
            + TLV.hex("30 2f 06 09 2a 86 48 86 f7 0d 01 09 04 31 22 04 20") + digest
        let own = try EditableReceipt(signer.envelope([0x31, 0x00]))
        certificates = own.certificates
        signers = own.signers
        signers[0].signedAttributes = TLV.definite(0xa0, attributes)
        signers[0].signature = try signer.sign(TLV.definite(TLV.set, attributes))
    }
}
