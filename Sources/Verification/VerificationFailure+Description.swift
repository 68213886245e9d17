import AppAttest

extension VerificationFailure: CustomStringConvertible {
    /// What was expected and what was found, on one line and safe to log.
    public var description: String {
        switch self {
        case .envelope(let error): error.description
        case .malformed(let reason):
            "expected a CMS message that OpenSSL can read, found one that it cannot (\(reason))"
        case .signerCount(let expected, let found): "expected \(expected) signer, found \(found)"
        case .signerMissing(let certificates):
            "expected the signer's certificate in the receipt, found none of its name among \(certificates)"
        case .signature(let reason): "expected a signature of the signer over the content, found another (\(reason))"
        case .chain(let fault): fault.description
        case .signerNotMarked(let expected, let subject):
            "expected a signer with the extension \(expected), found \(subject) without it"
        case .signerBlocked(let serial): "expected a signer that is not blocked, found serial number \(serial)"
        case .payload(let error): error.description
        case .receiptType(let expected, let found):
            "expected a receipt of type \(expected.rawValue), found \(found.rawValue)"
        case .appID(let expected, let found): "expected a receipt of app \(expected), found one of \(found)"
        case .environment(let expected, let found):
            "expected environment \(expected.map(\.rawValue).sorted().joined(separator: " or ")), "
                + "found \(found.rawValue)"
        case .attestedCertificate(let reason):
            "expected a certificate with a P-256 key in field 3, found none that can be read (\(reason))"
        case .key(let expected, let found):
            "expected key identifier \(Base64.encode(expected.bytes)), found \(Base64.encode(found.bytes))"
        case .notNewer(let than, let found):
            "expected a receipt created after \(than.rfc3339), found one created at \(found.text)"
        case .stale(let time, let reference, let limit):
            "expected an answer created at most \(limit.components.seconds) s before \(reference.rfc3339), "
                + "found one created at \(time.text)"
        case .fromFuture(let time, let reference, let tolerance):
            "expected an answer created at most \(tolerance.components.seconds) s after \(reference.rfc3339), "
                + "found one created at \(time.text)"
        }
    }
}

extension ChainFault: CustomStringConvertible {
    public var description: String {
        let anchors = anchors.map { "\"\($0)\"" }.joined(separator: " or ")
        let found = signer.map { "signer \"\($0)\": " } ?? ""
        return "expected a chain to \(anchors) valid at \(time.rfc3339), found \(found)\(reason)"
    }
}
