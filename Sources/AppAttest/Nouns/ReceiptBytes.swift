/// A receipt exactly as it was received. These bytes are what is stored and what is sent.
///
/// A receipt is a credential of a kind: its text form is redacted so that it cannot reach a log by accident.
public struct ReceiptBytes: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The raw bytes.
    public let bytes: [UInt8]

    /// Wraps raw bytes; nothing is checked.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var description: String { "<redacted \(bytes.count) bytes>" }
    public var debugDescription: String { description }
}
