import AppAttest
import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("refresh at an URL that is none of the data server's")
struct WrongURLTests {
    private static let states = "SELECT DISTINCT state FROM attestwatch.schedule"

    /// Changes the path of the production server's URL in the configuration.
    private func replace(_ path: String, with other: String, in stage: Stage) throws {
        let settings = try String(contentsOfFile: stage.configuration, encoding: .utf8)
        try stage.attestwatch.file("a.json5", settings.replacing(path, with: other))
    }

    @Test("404 to every fresh key is a fault of the URL: a handful of calls, 77, nobody quiet; put right, all goes on")
    func wrongPath() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 40)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            try replace("/v1/attestationData", with: "/v1/attestationDatum", in: stage)
            let wrong = try await stage.attestwatch("refresh", "--json")
            #expect(wrong.code == .credentialRefused)
            #expect(wrong.errors.contains("answered 404 to every receipt that was tried"))
            #expect(wrong.errors.contains("hint: is the URL right?"))
            #expect(try await test.texts(Self.states) == ["active"])
            let held = "SELECT count(*) FROM attestwatch.schedule WHERE last_outcome = 'held'"
            #expect(try await test.number(held) == 4)

            try replace("/v1/attestationDatum", with: "/v1/attestationData", in: stage)
            try stage.wait(.hours(6))
            let right = try await stage.attestwatch("refresh", "--json")
            #expect(right.code == .success, "\(right.errors)")
            #expect(try await test.number("SELECT count(*) FROM attestwatch.metric_reading") == 40)

            // The other URL has still never answered otherwise.
            try replace("/v1/attestationData", with: "/v1/attestationDatum", in: stage)
            try stage.wait(.days(8))
            #expect(try await stage.attestwatch("refresh", "--json").code == .credentialRefused)
            #expect(try await test.texts(Self.states) == ["active"])
        }
    }
}
