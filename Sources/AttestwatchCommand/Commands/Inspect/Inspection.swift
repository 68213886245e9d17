import AppAttest
import Reporting
import Verification

/// One file that was looked at: what could be read of it, and the verdict.
struct Inspection {
    /// The file as it was named.
    let file: String
    /// How many bytes were looked at: of what the file's base64 stands for, of the file itself where it is none.
    private let size: Int
    private let finding: Finding

    private enum Finding {
        case report(VerificationReport)
        /// Not even the bytes of a receipt.
        case unreadable(ReceiptError)
    }

    /// Looks at a file's content.
    init(file: String, content: [UInt8], verifier: ReceiptVerifier, at time: Instant?, appID: AppID?) {
        self.file = file
        do throws(ReceiptError) {
            let bytes = try ReceiptBytes(anyFlavour: content)
            self.size = bytes.bytes.count
            self.finding = .report(verifier.report(bytes, at: time, appID: appID))
        } catch {
            self.size = (try? Base64.decode(content).count) ?? content.count
            self.finding = .unreadable(error)
        }
    }

    /// Whether every step that was asked for has passed.
    var isValid: Bool {
        switch finding {
        case .report(let report): report.isValid
        case .unreadable: false
        }
    }

    /// One JSON object; values stand there as far as they can be read, valid or not.
    var json: String {
        let report = report
        let payload = report?.payload
        return JSONValue.object([
            "file": .string(file),
            "kind": .string(kind),
            "valid": .bool(isValid),
            "failure": .text(failureWord),
            "app_id": .text(payload?.appID?.text),
            "key_id": .text(report?.keyID?.base64),
            "environment": .text(payload?.environment?.rawValue),
            "receipt_type": .text(payload?.type?.rawValue),
            "creation_time": .text(payload?.creationTime?.text),
            "not_before": .text(payload?.notBefore?.text),
            "expiration_time": .text(payload?.expirationTime?.text),
            "risk_metric": .number(payload?.riskMetric),
            "size": .integer(size),
            "encoding": .text(report?.encoding?.rawValue),
        ]).text
    }

    /// Every field in words, the chain, and the verdict step by step.
    var text: String {
        switch finding {
        case .report(let report): InspectionText(file: file, report: report).text
        case .unreadable(let error): "\(printable(file)): not valid\n  \(printable(error.description))\n"
        }
    }

    private var report: VerificationReport? {
        switch finding {
        case .report(let report): report
        case .unreadable: nil
        }
    }

    private var failureWord: String? {
        switch finding {
        case .report(let report): report.failure?.word
        case .unreadable(let error): error.word
        }
    }

    private var kind: String {
        switch finding {
        case .unreadable(.attestationObject): "attestation"
        case .unreadable: "unknown"
        case .report(let report): report.encoding == nil ? "unknown" : "receipt"
        }
    }
}
