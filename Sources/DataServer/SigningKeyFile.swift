import AppAttest
import OpenSSL

/// Reads the spellings in which people keep a `.p8` file: any line ends, `\n` written out (as from an environment
/// variable), a byte order mark, everything in one line, PKCS #8 or SEC 1 with an EC PARAMETERS block before it.
enum SigningKeyFile {
    /// The private key in a file's content.
    static func read(_ content: [UInt8]) throws(SigningKeyError) -> ECPrivateKey {
        var text = Substring(plain(content))
        if text.allSatisfy(\.isWhitespace) { throw .empty }
        while let block = try PEMBlock.next(in: &text) {
            // SEC 1 files name the curve a second time before the key (RFC 5915 § 4).
            if block.label != "EC PARAMETERS" { return try key(in: block) }
        }
        throw .notPEM
    }

    /// ASCII text with `\n` for every line end, however it was written.
    private static func plain(_ content: [UInt8]) -> String {
        var text = String(decoding: content, as: UTF8.self)
        if text.first == "\u{FEFF}" { text.removeFirst() }
        var plain = ""
        var characters = text.unicodeScalars.makeIterator()
        while let character = characters.next() {
            switch character {
            case "\r": plain += "\n"
            case "\\":
                // `\n` or `\r` written out; base64 holds no backslash.
                _ = characters.next()
                plain += "\n"
            default: plain.unicodeScalars.append(character)
            }
        }
        return plain
    }

    private static func key(in block: PEMBlock) throws(SigningKeyError) -> ECPrivateKey {
        switch block.label {
        case "PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY": throw .encrypted
        case "PUBLIC KEY", "RSA PUBLIC KEY", "EC PUBLIC KEY": throw .publicKey
        case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE": throw .certificate
        default: throw .otherBlock(String(block.label.prefix(40)))
        }
        // The headers of an encrypted SEC 1 key (RFC 1421 § 4.6.1.1).
        if block.body.contains("ENCRYPTED") { throw .encrypted }
        return try key(der: octets(block.body))
    }

    private static func octets(_ body: Substring) throws(SigningKeyError) -> [UInt8] {
        do throws(Base64Error) { return try Base64.decode(Array(body.utf8)) } catch {
            switch error {
            case .empty, .truncated, .strayBits, .wrongPadding: throw .truncated
            case .unexpectedCharacter, .mixedAlphabets: throw .damaged(reason: "not base64")
            }
        }
    }

    private static func key(der: [UInt8]) throws(SigningKeyError) -> ECPrivateKey {
        // The outermost length tells a file that was cut from one that was changed.
        if isCutShort(der) { throw .truncated }
        let read: ReadPrivateKey
        do throws(OpenSSLError) { read = try ReadPrivateKey(der: der) } catch {
            throw .damaged(reason: error.reasons.last ?? "its halves do not belong together")
        }
        switch read {
        case .curve(let key) where key.curve == .p256: return key
        case .curve(let key): throw .otherKey(key.curve.rawValue)
        case .other(let name): throw .otherKey(name)
        }
    }

    /// Whether a DER element promises more octets than there are (X.690 § 8.1.3).
    private static func isCutShort(_ der: [UInt8]) -> Bool {
        guard der.count >= 2 else { return true }
        if der[1] < 0x80 { return der.count < 2 + Int(der[1]) }
        let lengthOctets = Int(der[1] & 0x7f)
        guard lengthOctets <= 4 else { return false }
        guard der.count >= 2 + lengthOctets else { return true }
        let length = der[2..<2 + lengthOctets].reduce(0) { $0 << 8 | Int($1) }
        return der.count < 2 + lengthOctets + length
    }
}

/// A block of PEM text (RFC 7468), with its line breaks wherever they are.
private struct PEMBlock {
    let label: Substring
    let body: Substring

    /// The next block; nil where there is no more. `text` goes on behind it.
    static func next(in text: inout Substring) throws(SigningKeyError) -> PEMBlock? {
        guard let begin = text.firstRange(of: "-----BEGIN ") else { return nil }
        guard let labelEnd = text[begin.upperBound...].firstRange(of: "-----") else { throw .truncated }
        let label = text[begin.upperBound..<labelEnd.lowerBound]
        guard let end = text[labelEnd.upperBound...].firstRange(of: "-----END \(label)-----") else { throw .truncated }
        defer { text = text[end.upperBound...] }
        return PEMBlock(label: label, body: text[labelEnd.upperBound..<end.lowerBound])
    }
}
