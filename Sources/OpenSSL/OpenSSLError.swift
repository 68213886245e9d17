import COpenSSL

/// A call into OpenSSL that failed: which one, and the library's own reasons, oldest first.
///
/// Making one drains the thread's error queue, so that no later call sees old reasons.
public struct OpenSSLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The C function that failed.
    public let call: String
    /// OpenSSL's reason texts, such as `bad decrypt`; they hold no input.
    public let reasons: [String]

    /// Takes what the thread's error queue holds and leaves it empty.
    public init(call: String) {
        self.call = call
        self.reasons = drainErrorQueue()
    }

    /// Takes reasons that were read off the queue elsewhere.
    init(call: String, reasons: [String]) {
        self.call = call
        self.reasons = reasons
    }

    public var description: String {
        reasons.isEmpty ? "\(call) failed" : "\(call) failed: \(reasons.joined(separator: "; "))"
    }
}

/// Empties the thread's error queue and returns the reasons, oldest first.
@discardableResult
func drainErrorQueue() -> [String] {
    var reasons: [String] = []
    while true {
        let code = ERR_get_error()
        if code == 0 { return reasons }
        if let text = unsafe ERR_reason_error_string(code) {
            reasons.append(unsafe String(cString: text))
        } else {
            reasons.append("error \(code)")
        }
    }
}
