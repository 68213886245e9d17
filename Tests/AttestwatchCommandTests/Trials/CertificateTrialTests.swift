import AppAttest
import AttestwatchCommand
import Foundation
import TestServers
import TestSupport
import Testing

@Suite("Certificates that end soon, from run to run")
struct CertificateTrialTests {
    @Test("answers that are signed by one are stored, and told of until others have signed for a day")
    func signer() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: 6, scenario: scenario(#"{"match": {"to_day": 1}, "body": "ending_signer"}"#))
            let trial = try await Trial(stage, test)
            let first = try await trial.refresh("--limit", "3")
            #expect(first.code == .success && first.summary["replaced"] == 3, "\(first.errors)")
            let opened = try #require(try await trial.alerts().first)
            #expect(opened.name.contains(/^signer\.expiring [0-9a-f]+$/))
            #expect(opened.message.hasPrefix("expected signers whose certificates hold for 14 d more, found serial "))

            try stage.wait(.hours(12))
            #expect(try await trial.refresh().summary["replaced"] == 3)
            let seen = try await trial.alerts()
            #expect(seen.count == 1 && seen.first?.opened == opened.opened)
            #expect(try #require(seen.first).seen - opened.seen >= 12 * 3_600_000_000)

            // Nothing is due that could show who signs now.
            try stage.wait(.days(2))
            #expect(try await trial.refresh().summary["sent"] == 0)
            #expect(try await trial.openAlerts() == [opened.name])
            try stage.wait(.days(6))
            let later = try await trial.refresh()
            #expect(later.code == .success && later.summary["replaced"] == 6, "\(later.errors)")
            #expect(try await trial.alerts().map(\.isOpen) == [false])
        }
    }

    @Test("a trust anchor that does is told of until it is replaced")
    func anchor() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 2)
            let trial = try await Trial(stage, test)
            let folder = stage.attestwatch.folder.path
            _ = try runOpenSSL(
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    "ending.key", "-out", "ending.pem", "-subj", "/CN=Ending root", "-days", "20",
                ], folder: folder)
            let good = try String(contentsOfFile: "\(folder)/anchor.pem", encoding: .utf8)
            let ending = try String(contentsOfFile: "\(folder)/ending.pem", encoding: .utf8)
            try stage.attestwatch.file("anchor.pem", good + ending)
            for _ in 0..<2 {
                #expect(try await trial.refresh().code == .success)
                #expect(try await trial.alerts().map(\.name) == ["signer.expiring anchor CN=Ending root"])
                try stage.wait(.hours(1))
            }
            #expect(try await trial.openAlerts().count == 1)
            try stage.attestwatch.file("anchor.pem", good)
            #expect(try await trial.refresh().code == .success)
            #expect(try await trial.alerts().map(\.isOpen) == [false])
        }
    }
}
