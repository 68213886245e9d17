import AppAttest
import Reporting
import System

/// A row that did not go in. Nothing of its receipt is in it.
struct RejectedRow: Error, Hashable, Sendable {
    /// The line that it begins on.
    let line: Int
    /// Why.
    let rejection: IngestRejection
    /// Whose app it is said to be, where it says one.
    let appID: AppID?
    /// Whose key likewise.
    let keyID: KeyIdentifier?

    /// One JSON object in a line.
    var jsonLine: String {
        let value = JSONValue.object([
            "line": .integer(line), "reason": .string(rejection.word), "detail": .string(rejection.description),
            "app_id": .text(appID?.text), "key_id": .text(keyID.map { Base64.encode($0.bytes) }),
        ])
        return value.text + "\n"
    }
}

/// Tells of rows that did not go in: in a file, where one is named; else the first of them on standard error.
struct RejectLog: ~Copyable {
    /// More than these are only counted where there is no file: a terminal and a journal hold no more of use.
    static let shownAtMost = 20

    private let descriptor: FileDescriptor?
    private let file: OpenFile?
    private let context: CommandContext
    private var count = 0

    /// Opens the file to append to.
    init(_ path: String?, _ context: CommandContext) throws(CommandFailure) {
        self.context = context
        guard let path else {
            self.descriptor = nil
            self.file = nil
            return
        }
        do throws(SystemError) {
            let file = try OpenFile.appending(path)
            self.descriptor = file.descriptor
            self.file = consume file
        } catch {
            throw .outputFailed(error)
        }
    }

    /// Tells of rows, which are in the order of the input.
    mutating func add(_ rows: [RejectedRow]) throws(CommandFailure) {
        if let descriptor {
            guard !rows.isEmpty else { return }
            do throws(SystemError) {
                try descriptor.write(Array(rows.map(\.jsonLine).joined().utf8))
            } catch {
                throw .outputFailed(error)
            }
            return
        }
        for row in rows {
            count += 1
            if count <= Self.shownAtMost {
                context.note("line \(row.line): rejected: \(printable(row.rejection.description))")
            } else if count == Self.shownAtMost + 1 {
                context.note("further rejections are only counted; --rejects FILE takes all of them")
            }
        }
    }
}
