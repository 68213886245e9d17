import Foundation
import System
import TestSupport
import Testing

@Suite("Taking records out of journals")
struct JournalEraserTests {
    private let records: [[UInt8]] = [[1], [2, 2], [UInt8](repeating: 3, count: 5_000)]

    private func eraser(_ folder: JournalFolder) throws -> JournalEraser {
        try JournalEraser(folder: folder.path)
    }

    @Test("what was taken out is in no octet of the folder, and a later run reads the rest, in order")
    func takenOut() async throws {
        let folder = try JournalFolder()
        let path = try folder.leave(try await JournalFolder.file(records))
        let eraser = try eraser(folder)
        #expect(try await eraser.journals() == [path])
        let content = try #require(try await eraser.open(path))
        #expect(content.records == records && content.loss == nil)
        try await eraser.replaceRecords(with: [records[0], records[2]])
        #expect(try folder.names == ["old-1.journal"])
        #expect(try folder.octets(of: "old-1.journal") == (try await JournalFolder.file([records[0], records[2]])))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try await folder.readLeft().payloads == [records[0], records[2]])
    }

    @Test("a journal without any record left goes, and one that was opened and closed is as it was")
    func emptied() async throws {
        let folder = try JournalFolder()
        let path = try folder.leave(try await JournalFolder.file(records))
        let eraser = try eraser(folder)
        _ = try await eraser.open(path)
        await eraser.close()
        try await eraser.replaceRecords(with: [])
        #expect(try await folder.readLeft().payloads == records)
        _ = try await eraser.open(path)
        try await eraser.replaceRecords(with: [])
        #expect(try folder.names == [])
        #expect(try await eraser.open(path) == nil)
    }

    @Test("journals that were set aside are among them; drafts of an eraser that was cut off go, other files stay")
    func names() async throws {
        let folder = try JournalFolder()
        let octets = try await JournalFolder.file(records)
        let names = ["a-1.journal", "b-1.journal.damaged", "c-1.journal.unverified", "d-1.journal.refused"]
        for name in names + ["a-1.journal.draft", "e-1.journal.damaged.draft", "last-run.json"] {
            try folder.leave(octets, as: name)
        }
        let eraser = try eraser(folder)
        #expect(try await eraser.journals() == names.map { "\(folder.path)/\($0)" })
        #expect(try folder.names == names + ["last-run.json"])
        for path in try await eraser.journals() {
            #expect(try await eraser.open(path)?.records == records)
            try await eraser.replaceRecords(with: [records[1]])
        }
        for name in names { #expect(try folder.octets(of: name) == (try await JournalFolder.file([records[1]]))) }
    }

    @Test("a journal that a run holds is left alone, and while one is open here no run takes it")
    func held() async throws {
        let folder = try JournalFolder()
        let journal = try folder.journal()
        _ = try await journal.append(records)
        let path = "\(folder.path)/run-1.journal"
        let eraser = try eraser(folder)
        #expect(try await eraser.journals() == [path])
        #expect(try await eraser.open(path) == nil)
        await journal.close()
        #expect(try await eraser.open(path)?.records == records)
        #expect(try await folder.readLeft().payloads.isEmpty)
        await eraser.close()
        #expect(try await folder.readLeft().payloads == records)
    }

    @Test("the end of a write that was cut off goes, for nobody has relied on it")
    func tornTail() async throws {
        let folder = try JournalFolder()
        let octets = try await JournalFolder.file(records)
        let path = try folder.leave(octets.dropLast(7))
        let eraser = try eraser(folder)
        let content = try #require(try await eraser.open(path))
        #expect(content.records == Array(records.dropLast()) && content.loss?.isTornTail == true)
        try await eraser.replaceRecords(with: content.records)
        #expect(try folder.octets(of: "old-1.journal") == (try await JournalFolder.file(content.records)))
    }

    @Test(
        "what cannot be read stays, octet by octet, behind the records that are left",
        arguments: [[], [[1]]] as [[[UInt8]]])
    func damaged(left: [[UInt8]]) async throws {
        let folder = try JournalFolder()
        var octets = try await JournalFolder.file(records)
        // In the payload of the second record, behind which there is another.
        let place = 8 + 12 + 1 + 12
        octets[place] ^= 1
        let path = try folder.leave(octets, as: "old-1.journal.damaged")
        let eraser = try eraser(folder)
        let content = try #require(try await eraser.open(path))
        #expect(content.records == [records[0]] && content.loss?.isTornTail == false)
        try await eraser.replaceRecords(with: left)
        let head = left.isEmpty ? Array(octets[..<8]) : try await JournalFolder.file(left)
        #expect(try folder.octets(of: "old-1.journal.damaged") == head + octets[(place - 12)...])
        #expect(try await eraser.open(path)?.records == left)
    }

    @Test("a file that others can read is refused by its mode")
    func modes() async throws {
        let folder = try JournalFolder()
        let path = try folder.leave(try await JournalFolder.file(records), mode: 0o640)
        let eraser = try eraser(folder)
        await #expect(throws: JournalError.refused(path: path, expected: "mode 0600", found: "0640")) {
            try await eraser.open(path)
        }
    }
}
