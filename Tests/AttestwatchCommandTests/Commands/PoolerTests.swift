import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("Through a pooler")
struct PoolerTests {
    @Test("migrate refuses to work through a pooler that pools by transaction, with 78 and what to do")
    func migrate() async throws {
        try await TestDatabase.empty { test in
            let pooler = try Pooler(before: test)
            let stage = try Stage(try pooler.lead(to: test), devices: 1, hasServer: false)
            let result = try await stage.attestwatch("migrate")
            #expect(result.code == .configuration)
            #expect(
                result.errors == """
                    attestwatch: error: expected a session of its own at the server, found a pooler in between
                    hint: name the server itself in 'database' for this command, or in PGHOST and PGPORT

                    """)
            #expect(result.output == "")
        }
    }

    @Test("ingest, refresh, flags and status work through one")
    func work() async throws {
        try await TestDatabase.migrated { test in
            let pooler = try Pooler(before: test)
            let stage = try Stage(try pooler.lead(to: test), devices: 20, heavyShare: 0.2)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            #expect(try await stage.attestwatch("refresh", "--dry-run").output == "20 due, nothing sent (--dry-run)\n")
            for days in [8, 1] {
                let run = try await stage.attestwatch("refresh", "--json")
                #expect(run.code == .success, "\(run.errors)")
                #expect(try jsonLines(run.output).first?["sent"] as? Int == 20)
                try stage.wait(.days(days))
            }
            let status = try await stage.attestwatch("status", "--json")
            #expect(try jsonLines(status.output).first?["fresh"] as? Int == 20)
            #expect(try await stage.attestwatch("flags", "--json").code == .success)
        }
    }
}
