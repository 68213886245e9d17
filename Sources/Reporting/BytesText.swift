import AppAttest

/// Octets as lower-case hexadecimal.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        let digits = String(byte, radix: 16)
        text += digits.count == 1 ? "0" + digits : digits
    }
    return text
}

extension KeyIdentifier {
    /// Base64, standard alphabet, padded: how Apple's frameworks write a key identifier.
    package var base64: String { Base64.encode(bytes) }
}
