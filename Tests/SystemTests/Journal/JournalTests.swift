import Foundation
import System
import TestSupport
import Testing

@Suite("Writing a journal")
struct JournalTests {
    private let records: [[UInt8]] = [[1], [2, 2], [UInt8](repeating: 3, count: 5_000)]

    @Test("what was appended is read by a later run, in order, and no file is there before the first record")
    func roundTrip() async throws {
        let folder = try JournalFolder()
        let journal = try folder.journal()
        #expect(try folder.names.isEmpty)
        let file = try await journal.append(Array(records[..<2]))
        #expect(try await journal.append([records[2]]) == file)
        #expect(try folder.names == ["run-1.journal"])
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/run-1.journal")[.posixPermissions]
        #expect(mode as? Int == 0o600)
        await journal.close()
        let read = try await folder.readLeft()
        #expect(read.payloads == records)
        #expect(read.losses.isEmpty)
    }

    @Test("a journal is locked while its run lives: another run, of this process or of another, passes it over")
    func locked() async throws {
        let folder = try JournalFolder()
        let journal = try folder.journal()
        _ = try await journal.append(records)
        #expect(try await folder.readLeft().payloads.isEmpty)
        let file = "\(folder.path)/run-1.journal"
        #expect(try runTool("flock", ["--nonblock", file, "true"]).status == 1)
        await journal.close()
        #expect(try runTool("flock", ["--nonblock", file, "true"]).status == 0)
        #expect(try await folder.readLeft().payloads == records)
    }

    @Test("a journal that is being replayed is locked against a third run, and free again when it was left")
    func replaying() async throws {
        let folder = try JournalFolder()
        try folder.leave(try await JournalFolder.file(records))
        let first = try folder.journal("first")
        #expect(try await first.takeLeft() != nil)
        #expect(try await folder.readLeft().payloads.isEmpty)
        await first.leaveLeft()
        #expect(try await folder.readLeft().payloads == records)
        #expect(try folder.names == ["old-1.journal"])
    }

    @Test("settled records leave nothing: the file in use is emptied, an older one goes, and all go at the end")
    func settling() async throws {
        let folder = try JournalFolder()
        let journal = try folder.journal(fileSize: 100)
        let first = try await journal.append([[UInt8](repeating: 1, count: 200), [1]])
        let second = try await journal.append([[2]])
        #expect(first != second)
        #expect(try folder.names == ["run-1.journal", "run-2.journal"])
        await journal.settle(1, in: first)
        #expect(try folder.names == ["run-1.journal", "run-2.journal"])
        await journal.settle(1, in: first)
        #expect(try folder.names == ["run-2.journal"])
        await journal.settle(1, in: second)
        #expect(try folder.octets(of: "run-2.journal").isEmpty)
        #expect(try await journal.append([[3]]) == second)
        let third = try await journal.append([[UInt8](repeating: 4, count: 200)])
        #expect(third == second)
        await journal.settle(2, in: second)
        #expect(try await journal.append([[5]]) == second)
        await journal.settle(1, in: second)
        await journal.close()
        #expect(try await folder.readLeft().payloads == [])
        #expect(try folder.names.isEmpty)
    }

    @Test("only records that are not settled keep a file: the rest of a long run is not on the disk")
    func bounded() async throws {
        let folder = try JournalFolder()
        let journal = try folder.journal(fileSize: 1_000)
        var unsettled: [Int] = []
        for number in 0..<300 {
            unsettled.append(try await journal.append([[UInt8](repeating: UInt8(number % 256), count: 100)]))
            if unsettled.count > 5 { await journal.settle(1, in: unsettled.removeFirst()) }
            #expect(try folder.names.count <= 3)
        }
        await journal.close()
        #expect(try await folder.readLeft().payloads.count >= unsettled.count)
    }

    @Test("once a write has failed, every later one fails likewise; what was written is still there")
    func failed() async throws {
        let folder = try JournalFolder()
        let journal = try folder.journal(fileSize: 10)
        _ = try await journal.append([[1, 2, 3]])
        // The next file cannot be made: its name is taken.
        try folder.leave([], as: "run-2.journal")
        let expected = JournalError.failed(
            SystemError(call: "open", path: "\(folder.path)/run-2.journal", code: EEXIST))
        await #expect(throws: expected) { try await journal.append([[4]]) }
        try FileManager.default.removeItem(atPath: "\(folder.path)/run-2.journal")
        await #expect(throws: expected) { try await journal.append([[5]]) }
        await journal.close()
        #expect(try await folder.readLeft().payloads == [[1, 2, 3]])
    }

    @Test("a file that others can read is refused by its mode, and one that is a link or a pipe too")
    func modes() async throws {
        let folder = try JournalFolder()
        let file = try folder.leave(try await JournalFolder.file(records), mode: 0o640)
        await #expect(throws: JournalError.refused(path: file, expected: "mode 0600", found: "0640")) {
            try await folder.readLeft()
        }
        try FileManager.default.moveItem(atPath: file, toPath: "\(folder.path)/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "elsewhere")
        await #expect(throws: JournalError.failed(SystemError(call: "open", path: file, code: ELOOP))) {
            try await folder.readLeft()
        }
    }

    @Test("a journal that was replayed is removed, one set aside keeps what it holds and is never taken again")
    func endings() async throws {
        let folder = try JournalFolder()
        let octets = try await JournalFolder.file(records)
        try folder.leave(octets, as: "a-1.journal")
        try folder.leave(octets, as: "b-1.journal")
        let journal = try folder.journal()
        #expect(try await journal.takeLeft() == "\(folder.path)/a-1.journal")
        try await journal.removeLeft()
        #expect(try await journal.takeLeft() == "\(folder.path)/b-1.journal")
        #expect(try await journal.setLeftAside(suffix: "damaged") == "\(folder.path)/b-1.journal.damaged")
        #expect(try await journal.takeLeft() == nil)
        #expect(try folder.names == ["b-1.journal.damaged"])
        #expect(try folder.octets(of: "b-1.journal.damaged") == octets)
        #expect(try await folder.readLeft().payloads.isEmpty)
    }

    @Test("of runs that look at the same time each journal is taken by one, which may set it aside at once")
    func takenOnce() async throws {
        let folder = try JournalFolder()
        let octets = try await JournalFolder.file(records)
        for number in 0..<500 { try folder.leave(octets, as: "\(number)-1.journal") }
        let taken = try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<4 {
                let journal = try folder.journal("run\(number)")
                group.addTask {
                    var paths: [String] = []
                    while let path = try await journal.takeLeft() {
                        paths.append(path)
                        _ = try await journal.setLeftAside(suffix: "unverified")
                    }
                    return paths
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken.count == 500 && Set(taken).count == 500)
    }

    @Test("a file system in memory is told by its name, also of a folder that is still to be made")
    func inMemory() throws {
        #expect(volatileFileSystem(of: "/dev/shm") == "tmpfs")
        #expect(volatileFileSystem(of: "/dev/shm/attestwatch/state") == "tmpfs")
        #expect(volatileFileSystem(of: "/proc/self") == nil)
    }
}
