import AppAttest
import System
import Verification

/// `attestwatch inspect FILE…`.
enum InspectCommand {
    /// The time of judgement.
    static let at = OptionSyntax("--at", "TIME", "judge the signer's chain at this RFC 3339 time")
    /// A root in the place of Apple's.
    static let trustAnchor = OptionSyntax("--trust-anchor", "PEM", "a root in the place of Apple's")
    /// The expected field 2.
    static let appID = OptionSyntax("--app-id", "ID", "the App ID that the receipt must have")

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "inspect", operands: "FILE...", operandCount: 1...Int.max,
        summary: "Show what receipts say and whether to believe them.",
        details: """
            FILE holds a receipt as Apple sent it, or base64 of any flavour; - is standard input. Every field, the
            signer's chain and the verdict step by step are shown. Nothing has to be configured. A receipt is judged at
            its own creation time unless --at says otherwise. Exit code 0: all are valid; 1: one is not.
            """,
        options: [.json, at, trustAnchor, appID])

    // 64 KiB in base64 with lines of a few characters; more is no receipt in any flavour.
    private static let sizeLimit = 1 << 20

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let time: Instant?
        let app: AppID?
        do throws(UsageError) {
            time = try arguments.value(at, as: "an RFC 3339 time such as 2026-10-09T07:25:21Z") { text in
                try? Instant(rfc3339: text)
            }
            app = try arguments.value(appID, as: "an App ID such as A1B2C3D4E5.com.example.app", AppID.init)
        } catch {
            throw .usage(error)
        }
        let verifier = ReceiptVerifier(trusting: try anchors(arguments))
        var code = ExitCode.success
        for (index, file) in arguments.operands.enumerated() {
            let content: [UInt8]
            do throws(SystemError) {
                content = try read(file, context)
            } catch {
                let failure = CommandFailure.inputUnreadable(error)
                context.report(failure.message, hint: failure.hint)
                code = .inputUnreadable
                continue
            }
            let inspection = Inspection(file: file, content: content, verifier: verifier, at: time, appID: app)
            if arguments.has(.json) {
                try context.print(inspection.json + "\n")
            } else {
                try context.print((index > 0 ? "\n" : "") + inspection.text)
            }
            if !inspection.isValid, code == .success { code = .attention }
        }
        return code
    }

    private static func anchors(_ arguments: ParsedArguments) throws(CommandFailure) -> TrustAnchors {
        guard let file = arguments.value(trustAnchor) else { return try appleAnchors() }
        return try replacedAnchors(file)
    }

    private static func read(_ file: String, _ context: CommandContext) throws(SystemError) -> [UInt8] {
        if file == "-" { return try context.input.readToEnd(limit: sizeLimit) }
        return try OpenFile.reading(file).readToEnd(limit: sizeLimit)
    }
}
