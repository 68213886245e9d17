import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("attestwatch plan", .serialized)
struct PlanCommandTests {
    @Test("the calls of a fresh fleet, by app, and the verdict as an exit code")
    func plan() async throws {
        try await TestDatabase.migrated { database in
            let stage = try Stage(database, devices: 60, keysPerDevice: 2, hasServer: false, requestsPerSecond: 1)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            let told = try await stage.attestwatch("plan", "--json", "--check")
            #expect(told.code == .success, "\(told.errors)")
            let json = try #require(try jsonLines(told.output).first)
            // 60 newest keys about 5.5 times in 30 days, 60 older ones twice.
            let calls = try #require(json["calls_a_day"] as? Int)
            #expect((12...17).contains(calls), "\(calls)")
            #expect(json["fits"] as? Bool == true && (json["keys"] as? [String: Int])?["active"] == 120)
            let other = try await stage.attestwatch("plan", "--json", "--app", "A1B2C3D4E5.com.example.other")
            #expect(try jsonLines(other.output).first?["calls_a_day"] as? Int == 0)

            try stage.wait(.hours(2))
            try await database.execute(
                "UPDATE attestwatch.schedule SET expiration_time = clock_timestamp() + interval '2 hours 10 seconds'")
            let late = try await stage.attestwatch("plan", "--check")
            #expect(late.code == .attention)
            #expect(late.output.contains("the plan does not fit: production: "), "\(late.output)")
            #expect(try await stage.attestwatch("plan").code == .success)
            #expect(try await stage.attestwatch("plan", "--days", "0").code == .usage)
        }
    }
}
