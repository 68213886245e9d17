/// The object identifiers that certificates and receipts need, encoded.
///
/// Their names are those of the RFCs: 5480 and 5758 for keys and signatures, 5652 for content, 5280 for names and
/// extensions.
enum ObjectIdentifier {
    static let ecPublicKey = DER.objectIdentifier([1, 2, 840, 10045, 2, 1])
    static let prime256v1 = DER.objectIdentifier([1, 2, 840, 10045, 3, 1, 7])
    static let secp384r1 = DER.objectIdentifier([1, 3, 132, 0, 34])
    static let ecdsaWithSHA256 = DER.objectIdentifier([1, 2, 840, 10045, 4, 3, 2])
    static let ecdsaWithSHA384 = DER.objectIdentifier([1, 2, 840, 10045, 4, 3, 3])
    static let sha256 = DER.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 1])
    static let data = DER.objectIdentifier([1, 2, 840, 113549, 1, 7, 1])
    static let signedData = DER.objectIdentifier([1, 2, 840, 113549, 1, 7, 2])

    static let countryName = DER.objectIdentifier([2, 5, 4, 6])
    static let organizationName = DER.objectIdentifier([2, 5, 4, 10])
    static let organizationalUnitName = DER.objectIdentifier([2, 5, 4, 11])
    static let commonName = DER.objectIdentifier([2, 5, 4, 3])

    static let subjectKeyIdentifier = DER.objectIdentifier([2, 5, 29, 14])
    static let keyUsage = DER.objectIdentifier([2, 5, 29, 15])
    static let subjectAlternativeName = DER.objectIdentifier([2, 5, 29, 17])
    static let basicConstraints = DER.objectIdentifier([2, 5, 29, 19])
    static let authorityKeyIdentifier = DER.objectIdentifier([2, 5, 29, 35])
    static let extendedKeyUsage = DER.objectIdentifier([2, 5, 29, 37])
    static let serverAuthentication = DER.objectIdentifier([1, 3, 6, 1, 5, 5, 7, 3, 1])
    static let codeSigning = DER.objectIdentifier([1, 3, 6, 1, 5, 5, 7, 3, 3])
    static let emailProtection = DER.objectIdentifier([1, 3, 6, 1, 5, 5, 7, 3, 4])

    /// Marks the intermediate above receipt signers.
    static let intermediateMarker = DER.objectIdentifier([1, 2, 840, 113635, 100, 6, 2, 3])
    /// Marks a signer of receipts.
    static let receiptSignerMarker = DER.objectIdentifier([1, 2, 840, 113635, 100, 12, 15])
    /// An attested certificate's nonce.
    static let attestationNonce = DER.objectIdentifier([1, 2, 840, 113635, 100, 8, 2])
    /// An attested certificate's facts about the key and the app.
    static let attestationKeyFacts = DER.objectIdentifier([1, 2, 840, 113635, 100, 8, 5])
    /// An attested certificate's facts about the operating system.
    static let attestationSystemFacts = DER.objectIdentifier([1, 2, 840, 113635, 100, 8, 7])
}
