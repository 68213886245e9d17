import AppAttest
import Reporting
import Verification

/// What `inspect` tells people about one receipt.
struct InspectionText {
    /// Lines, each ended by a newline.
    private(set) var text = ""

    /// Writes down a report.
    init(file: String, report: VerificationReport) {
        text = "\(printable(file)): \(report.isValid ? "valid" : "not valid")\n"
        addEnvelope(report)
        if let payload = report.payload { addFields(payload, keyID: report.keyID) }
        for certificate in report.certificates {
            add(name(certificate.role), certificate.subject)
            add("", "serial number \(certificate.serial)")
            add("", "valid from \(certificate.notBefore.rfc3339) to \(certificate.notAfter.rfc3339)")
        }
        for anchor in report.anchors { add("trust anchor", anchor) }
        if let time = report.time { add("judged at", time.rfc3339) }
        for step in report.steps { add(step) }
        for problem in report.payload?.problems ?? [] { add("problem", problem.description) }
    }

    private mutating func add(_ name: String, _ value: String) {
        let space = String(repeating: " ", count: max(1, 26 - name.count))
        text += "  \(name)\(space)\(printable(value))\n"
    }

    private mutating func add(_ step: StepReport) {
        let outcome =
            switch step.outcome {
            case .passed: "ok"
            case .failed: "FAILED, \(step.detail ?? "without a reason")"
            case .notReached: "not reached"
            }
        add("step \(step.step.rawValue)", outcome)
    }

    private mutating func addEnvelope(_ report: VerificationReport) {
        add("size", "\(report.size) bytes")
        guard let encoding = report.encoding else { return }
        let chunks = report.contentChunks.map { chunks in
            ", content in \(chunks.count) pieces of \(chunks.map(String.init).joined(separator: ", ")) bytes"
        }
        add("encoding", encoding.rawValue + (chunks ?? ", content in one piece"))
    }

    private mutating func addFields(_ payload: PartialPayload, keyID: KeyIdentifier?) {
        add(.appID, payload.appID?.text)
        add(.attestedCertificate, payload.attestedCertificate.map { "\($0.count) bytes" })
        add("  key identifier", keyID?.base64 ?? "cannot be read")
        add(.clientHash, payload.clientHash.map { "\(hexadecimal($0)) (\(clientHashMeaning(payload.type)))" })
        add(.token, payload.token.map { String(decoding: $0, as: UTF8.self) })
        add(.receiptType, payload.type.map { "\($0.rawValue) (\(meaning($0)))" })
        add(.environment, payload.environment?.rawValue)
        add(.creationTime, payload.creationTime?.text)
        add(.riskMetric, payload.riskMetric.map { "\($0) keys attested on this device in 30 days" } ?? "unknown")
        add(.notBefore, payload.notBefore?.text ?? "none, it may be sent at once")
        add(.expirationTime, payload.expirationTime?.text)
        for field in payload.unknownFields {
            let shown = hexadecimal(field.value.prefix(32)) + (field.value.count > 32 ? "…" : "")
            add("\(field.number) (no name known)", "\(field.value.count) bytes, version \(field.version): \(shown)")
        }
    }

    private mutating func add(_ field: FieldNumber, _ value: String?) {
        add(field.description, value ?? "cannot be read")
    }

    private func name(_ role: SignerCertificate.Role) -> String {
        switch role {
        case .signer: "signer"
        case .namedSigner: "named as signer"
        case .issuer: "issued by"
        case .embedded: "embedded certificate"
        }
    }

    private func clientHashMeaning(_ type: ReceiptType?) -> String {
        switch type {
        case .attest: "as handed to attestKey"
        case .receipt: "mangled by Apple's server, of no use to compare"
        case nil: "of an unknown type of receipt"
        }
    }

    private func meaning(_ type: ReceiptType) -> String {
        switch type {
        case .attest: "came with an attestation"
        case .receipt: "came from the data server"
        }
    }
}
