import AppAttest
import Refresh
import Reporting
import System

/// What the state folder remembers of a database: the latest run that was on record when a run ended here.
struct LastRun: Hashable, Sendable {
    /// Which database; see `RunHistory.birth`.
    let birth: Instant
    /// The run; nil where none was on record.
    let run: RecordedRun?
}

/// The file in the state folder that remembers the last run, so that a database from before it is known as such.
struct LastRunFile: Sendable {
    /// What the file says.
    enum Content: Hashable {
        /// Nothing was written yet.
        case none
        case lastRun(LastRun)
        /// What is wrong with it, found and expected.
        case damaged(String)
    }

    /// Beside the journals.
    static let name = "last-run.json"
    // A line; more than this is another file.
    private static let sizeLimit = 4_096

    /// Where it is.
    let path: String

    /// The file of a state folder.
    init(folder: String) {
        path = "\(folder)/\(Self.name)"
    }

    /// Reads it.
    func read() -> Content {
        guard fileExists(path) else { return .none }
        let text: [UInt8]
        do throws(SystemError) {
            text = try OpenFile.reading(path).readToEnd(limit: Self.sizeLimit)
        } catch {
            return .damaged(error.reason)
        }
        do throws(JSON5Error) {
            let lastRun = LastRun(try JSON5Document(text, dialect: .json).root)
            return lastRun.map(Content.lastRun) ?? .damaged("expected a database, a run and its start, found others")
        } catch {
            return .damaged("expected \(error.expected), found \(error.found)")
        }
    }

    /// Puts another in its place.
    func write(_ lastRun: LastRun) throws(SystemError) {
        let value = JSONValue.object([
            "database": .string(lastRun.birth.rfc3339), "run": .number(lastRun.run?.number),
            "start_time": .text(lastRun.run?.startTime.rfc3339),
        ])
        try replaceFile(path, Array("\(value.text)\n".utf8))
    }
}

extension LastRun {
    /// What `LastRunFile.write` has written; nil for anything else.
    fileprivate init?(_ node: JSON5Node) {
        guard case .object(let members) = node.value, members.map(\.key) == ["database", "run", "start_time"],
            case .string(let database) = members[0].node.value, let birth = try? Instant(rfc3339: database)
        else { return nil }
        switch (members[1].node.value, members[2].node.value) {
        case (.null, .null): self.init(birth: birth, run: nil)
        case (.integer(let number), .string(let text)):
            guard let time = try? Instant(rfc3339: text) else { return nil }
            self.init(birth: birth, run: RecordedRun(number: number, startTime: time))
        default: return nil
        }
    }
}
