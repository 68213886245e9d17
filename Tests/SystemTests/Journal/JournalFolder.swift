import Foundation
import System
import TestSupport

/// A folder for journals, and what is in it.
struct JournalFolder {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    var path: String { scratch.path }

    func journal(_ run: String = "run", fileSize: Int = 1 << 20) throws -> Journal {
        try Journal(folder: path, run: run, fileSize: fileSize)
    }

    var names: [String] { get throws { try namesInFolder(path).sorted() } }

    func octets(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }

    /// Puts a journal of these octets there, as a run would leave it.
    @discardableResult
    func leave(_ octets: [UInt8], as name: String = "old-1.journal", mode: Int = 0o600) throws -> String {
        let file = try scratch.write(name, octets)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    /// The octets of a journal with these records, one group each.
    static func file(_ payloads: [[UInt8]]) async throws -> [UInt8] {
        let folder = try JournalFolder()
        let journal = try folder.journal()
        for payload in payloads { _ = try await journal.append([payload]) }
        return try folder.octets(of: "run-1.journal")
    }

    /// What a run that comes later reads of everything left, and what it could not read.
    func readLeft() async throws -> (payloads: [[UInt8]], losses: [JournalLoss]) {
        let reader = try journal("reader")
        var found: (payloads: [[UInt8]], losses: [JournalLoss]) = ([], [])
        while try await reader.takeLeft() != nil {
            while true {
                let payloads = try await reader.readLeft(limit: 2)
                if payloads.isEmpty { break }
                found.payloads += payloads
            }
            if let loss = await reader.leftLoss { found.losses.append(loss) }
        }
        return found
    }
}
