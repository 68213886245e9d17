import Foundation
import Postgres
import ReceiptStore

/// A PostgreSQL cluster of one test's own, on a Unix socket, which the test may stop and start again.
///
/// It ends when the value goes, or when the test process dies. What it has committed outlives an immediate stop, as it
/// outlives a crash in earnest: commits are waited for, though nothing has to survive a power cut.
package final class TestCluster {
    /// How the server begins.
    package enum Role: String {
        /// Takes writes.
        case primary
        /// A hot standby of nobody: it refuses writes until it is promoted.
        case standby
    }

    private static let keeping = #"""
        cd "$1" || exit 1
        trap : HUP INT TERM
        if [ "$4" = standby ]; then touch data/standby.signal; fi
        "$2/pg_ctl" -D data -l log -w -s start -o "$3" && echo ready && cat >/dev/null
        "$2/pg_ctl" -D data -s -m immediate -w stop
        """#

    private let folder: URL
    private let programs: String
    private var keeper: Keeper?

    /// Makes a cluster and starts it.
    package init() throws {
        folder = try Keeper.makeFolder("cluster")
        programs = try Self.programs()
        try run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Leads to its one database.
    package var conninfo: String { "host=\(folder.path) user=postgres dbname=postgres" }

    /// Its one database, as it is.
    package func database() throws -> TestDatabase {
        TestDatabase(conninfo: conninfo, database: try Database(conninfo))
    }

    /// Its one database with every migration applied.
    package func migrated() async throws -> TestDatabase {
        let test = try database()
        let migrator = Migrator(database: test.database, files: TestDatabase.files, access: TestDatabase.access)
        _ = try await migrator.migrate()
        return test
    }

    /// Starts the server, and waits until it lets people in.
    package func start(as role: Role = .primary) throws {
        let options = "-k \(folder.path) -c listen_addresses='' -c fsync=off -c full_page_writes=off"
        keeper = try Keeper(Self.keeping, [folder.path, programs, options, role.rawValue], until: "ready")
    }

    /// Stops the server at once, every session with it, and waits until it has ended; the next start recovers.
    package func stop() {
        keeper?.end()
        keeper = nil
    }

    /// Makes a standby take writes.
    package func promote() throws {
        try run("pg_ctl", "-s", "-w", "promote")
    }

    private func run(_ program: String, _ arguments: String...) throws {
        let words = Keeper.asPostgres(["\(programs)/\(program)", "-D", "\(folder.path)/data"] + arguments)
        let result = try runTool(words[0], Array(words.dropFirst()))
        if result.status != 0 { throw KeeperFailure(log: result.errors) }
    }

    /// Where the server's programs are: Debian keeps them off the PATH.
    private static func programs() throws -> String {
        let folder = try runTool("pg_config", ["--bindir"]).text.trimmingCharacters(in: .newlines)
        return FileManager.default.isExecutableFile(atPath: "\(folder)/initdb") ? folder : "/usr/lib/postgresql/15/bin"
    }
}
