import AppAttest

/// What could not be read of a journal file: from the first record that is not whole to the file's end.
package struct JournalLoss: Hashable, Sendable {
    /// What was wrong where reading ended.
    package enum Cause: Hashable, Sendable {
        /// The file ends within its header or a record, as after a write that was cut off.
        case cutShort(expected: Int, found: Int)
        /// Nothing but zeros from there on, as a file system may leave after a power failure.
        case zeros
        /// The file's last record has another checksum than it says: not all of it had reached the disk.
        case lastRecord(expected: UInt32, found: UInt32)
        /// A record's payload has another checksum than it says, and more follows it.
        case payload(expected: UInt32, found: UInt32)
        /// A record's length has another checksum than it says, or no record is as long.
        case length(UInt32)
        /// The file does not begin as a journal does.
        case header([UInt8])
        /// Another version of this program wrote it.
        case version(expected: UInt8, found: UInt8)
    }

    /// The file's path.
    package let file: String
    /// Where reading ended, in octets from the start.
    package let offset: Int
    /// Octets from there to the end of the file.
    package let dropped: Int
    /// What was wrong.
    package let cause: Cause

    /// Whether a write that was cut off explains it: what is gone had never been said to be safe.
    package var isTornTail: Bool {
        switch cause {
        case .cutShort, .zeros, .lastRecord: true
        case .payload, .length, .header, .version: false
        }
    }

    /// Expected and found, safe to log.
    package var reason: String {
        switch cause {
        case .cutShort(let expected, let found): "expected \(expected) octets more, found \(found)"
        case .zeros: "expected a record, found nothing but zeros"
        case .lastRecord(let expected, let found), .payload(let expected, let found):
            "expected the checksum \(expected.hexadecimal), found \(found.hexadecimal)"
        case .length(let length): "expected the length of a record, found \(length) or a checksum that is not its own"
        case .header: "expected the header of a journal, found other octets"
        case .version(let expected, let found): "expected version \(expected), found \(found)"
        }
    }
}
