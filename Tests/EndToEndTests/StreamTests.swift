import Foundation
import SimulatedDataServer
import TestSupport
import Testing

@Suite("What a run shows, and as whom it asks")
struct StreamTests {
    private static let plan = PopulationPlan(devices: 30, appID: Operator.appID, environment: .production)

    @Test("off a terminal a clean run leaves standard error empty; every request names attestwatch and its version")
    func quiet() async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(Self.plan)
            let person = try Operator(simulator, database)
            let version = try person.run("--version").output.trimmingCharacters(in: .newlines)
            #expect(version.hasPrefix("attestwatch "))
            for words in [["ingest", simulator.intakeFile], ["refresh"], ["status"], ["flags"]] {
                if words == ["refresh"] { try simulator.moveClock(toOffsetSeconds: 7_200) }
                let ending = try person.run(words)
                #expect(ending.status == 0)
                #expect(ending.errors == "", "\(words)")
                #expect(!ending.output.contains("\r"))
            }
            let askers = try simulator.ledger().map(\.userAgent)
            #expect(askers == Array(repeating: version.replacing(" ", with: "/"), count: 30))
        }
    }

    @Test("on a terminal a line tells the progress, and is taken away before the summary")
    func progress() async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(Self.plan)
            let person = try Operator(simulator, database)
            let intake = try person.runOnTerminal("ingest", simulator.intakeFile)
            #expect(intake.status == 0 && intake.output.contains(/taken in +30\b/))
            #expect(intake.errors.contains(/^\r30 rows, \d+ a second, 0 rejected/))
            #expect(intake.errors.hasSuffix("\r\u{1b}[K"))
            try simulator.moveClock(toOffsetSeconds: 7_200)
            let ending = try person.runOnTerminal("refresh")
            #expect(ending.status == 0)
            #expect(ending.output.contains(/replaced +30\b/))
            #expect(!ending.output.contains("\u{1b}"))
            #expect(ending.errors.contains(/^\r\d+ of 30 done/))
            #expect(ending.errors.hasSuffix("\r\u{1b}[K"))
        }
    }

    @Test("a kernel that watches no connection makes requests fail, not the program")
    func unwatchedConnections() async throws {
        try await TestDatabase.migrated { database in
            let simulator = try Simulator(Self.plan)
            let person = try Operator(simulator, database)
            #expect(try person.run("ingest", simulator.intakeFile).status == 0)
            try simulator.moveClock(toOffsetSeconds: 7_200)
            let library = try Self.libraryWithoutWatches(in: simulator.directory)
            let ending = try person.run(["refresh", "--json"], environment: ["LD_PRELOAD": library])
            #expect(ending.status == 69, "\(ending.errors)")
            #expect(ending.errors.contains("answered nothing of use: connection"))
            #expect(try ending.count("sent") == ending.count("failed"))
            #expect(try simulator.ledger().isEmpty)
            #expect(try person.run("status", "--json").count("unknown") == 30)
        }
    }

    /// A library that stands before the C library's `epoll_ctl` and behaves as at the kernel's limit of watches
    /// (epoll_ctl(2), ENOSPC) wherever the descriptor is a TCP socket.
    private static func libraryWithoutWatches(in folder: String) throws -> String {
        let source = """
            #include <errno.h>
            #include <sys/epoll.h>
            #include <sys/socket.h>
            #include <sys/syscall.h>
            #include <unistd.h>

            int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
                int domain = 0;
                socklen_t size = sizeof domain;
                if (operation == EPOLL_CTL_ADD
                    && getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_INET) {
                    errno = ENOSPC;
                    return -1;
                }
                return (int)syscall(SYS_epoll_ctl, epoll, operation, descriptor, event);
            }

            """
        try source.write(toFile: "\(folder)/watches.c", atomically: true, encoding: .utf8)
        let compiled = try runTool(
            "clang", ["-D_GNU_SOURCE", "-shared", "-fPIC", "-o", "\(folder)/watches.so", "\(folder)/watches.c"])
        try #require(compiled.status == 0, "\(compiled.errors)")
        return "\(folder)/watches.so"
    }
}
