import AppAttest

/// Who works: drawn anew for every run, so that no lease of an earlier one, not even in a database restored from a
/// backup, is ever this one's.
package struct WorkerID: Hashable, Sendable {
    /// A random UUID (RFC 9562, version 4) in its usual text form.
    package let text: String

    /// Draws one.
    package init(using random: inout some RandomNumberGenerator) {
        let high: UInt64 = random.next() & ~0xf000 | 0x4000
        let low: UInt64 = random.next() >> 2 | 1 << 63
        let digits = Array(high.hexadecimal + low.hexadecimal)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        text = groups.joined(separator: "-")
    }
}
