import SimulatedDataServer
import TestSupport

/// `openssl cms -verify` of a receipt against an anchor, judged at a time; its output is the content.
func verifyWithOpenSSL(_ receipt: [UInt8], anchor: [UInt8], at time: SimulatedTime) throws -> ToolResult {
    let scratch = try Scratch()
    let arguments = [
        "cms", "-verify", "-inform", "DER", "-binary",
        "-in", try scratch.write("receipt.der", receipt),
        "-CAfile", try scratch.write("anchor.pem", Array(PEM.encode("CERTIFICATE", anchor).utf8)),
        "-attime", String(time.seconds),
    ]
    return try runTool("openssl", arguments)
}
