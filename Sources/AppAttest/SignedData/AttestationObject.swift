/// The one thing that is known here about attestation objects: what they look like from outside.
///
/// A receipt travels inside the attestation object, and back ends store the one where they meant the other.
enum AttestationObject {
    /// CBOR for a map of three whose first key is the text "fmt", as the encoder of iOS writes it.
    private static let beginning: [UInt8] = [0xa3, 0x63, 0x66, 0x6d, 0x74]

    /// Whether `bytes` begin like an attestation object.
    static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: beginning)
    }
}
