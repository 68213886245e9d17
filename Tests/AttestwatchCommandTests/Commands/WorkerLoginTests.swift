import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("The program as a login that has attestwatch_worker and nothing else", .ownThreads)
struct WorkerLoginTests {
    @Test("every command but migrate works, from the first receipts to what waits for a person")
    func commands() async throws {
        try await TestDatabase.migrated { test in
            try await test.login(.worker) { login in
                // One device's answers do not verify, so that something is put aside.
                let stage = try Stage(
                    login, devices: 12, keysPerDevice: 2, heavyShare: 0.3,
                    scenario: #"{"faults": [{"match": {"device_refs": ["device-000001"]}, "status": 400}]}"#)
                try stage.makeStateFolder()
                func run(_ words: String..., code: ExitCode = .success) async throws -> String {
                    let result = try await stage.attestwatch.run(words)
                    #expect(result.code == code, "\(words): \(result.errors)")
                    return result.output
                }
                let doctor = try stage.diagnose()
                #expect(doctor.lines(of: "database role").map(\.state) == ["ok"])
                #expect(doctor.checks(in: "failed").allSatisfy { !$0.hasPrefix("database") && $0 != "migrations" })
                _ = try await run("migrate")
                _ = try await run("ingest", stage.intake)
                _ = try await run("plan")
                try stage.wait(.hours(2))
                #expect(try await run("refresh", "--dry-run").hasPrefix("12 due"))
                for _ in 0..<4 {
                    _ = try await stage.attestwatch("refresh")
                    try stage.wait(.days(3))
                }
                _ = try await run("status")
                #expect(try await run("flags", "--json").contains("\"level\":\"high\""))
                #expect(try await run("explain", "device-000002").contains("device-000002, 2 keys on record"))
                #expect(try await run("quarantine", "list").contains("bad_request"))
                _ = try await run("quarantine", "recheck", "--all")
                _ = try await run("quarantine", "release", "--all")
                _ = try await run("quarantine", "drop", "--all")
                #expect(try await run("forget", "--device-ref", "device-000002").hasPrefix("ERASED"))
                #expect(try await run("prune").hasPrefix("REMOVED"))
                let ended = "SELECT count(*) FROM attestwatch.refresh_run WHERE end_time IS NOT NULL"
                #expect(try await test.number(ended) == 4)
            }
        }
    }

    @Test("a login without it is told which role to grant, by doctor and by every command")
    func withoutRole() async throws {
        try await TestDatabase.migrated { test in
            try await test.login { login in
                let stage = try Stage(login, devices: 1, hasServer: false)
                try stage.makeStateFolder()
                let hint = "grant this login the role attestwatch_worker; "
                let doctor = try stage.diagnose()
                let found = doctor.lines.filter { $0.check == "migrations" }
                #expect(found.map(\.line.state) == ["failed"])
                #expect(found.first?.line.hint?.hasPrefix(hint) == true)
                for command in [["refresh"], ["status"], ["flags"], ["plan"], ["ingest", stage.intake], ["migrate"]] {
                    let result = try await stage.attestwatch.run(command)
                    #expect(result.code == .database)
                    #expect(result.errors.contains("SQLSTATE 42501"), "\(result.errors)")
                    #expect(result.errors.contains("\nhint: \(hint)"), "\(result.errors)")
                }
            }
        }
    }
}
