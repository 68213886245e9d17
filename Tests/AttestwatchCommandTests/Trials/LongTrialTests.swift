import AppAttest
import AttestwatchCommand
import Foundation
import SimulatedDataServer
import TestSupport
import Testing

@Suite("What replies do to receipts in the course of days")
struct LongTrialTests {
    @Test("304 for ever: an hour, doubling to a day, and told of from the third on")
    func tooEarlyForEver() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 3, scenario: #"{"faults": [{"status": 304}]}"#)
            let trial = try await Trial(stage, test)
            let step = Duration.minutes(90)
            for _ in 0..<96 {
                let run = try await trial.refresh()
                #expect(run.code == .success, "\(run.errors)")
                try stage.wait(step)
            }
            let waits: [Duration] = [1, 2, 4, 8, 16, 24, 24, 24, 24, 24].map { .hours($0) }
            var times: [String: [Instant]] = [:]
            for line in try stage.ledger() {
                times[try #require(line.keyID), default: []].append(try Instant(rfc3339: line.time))
            }
            #expect(times.count == 3)
            for times in times.values {
                // Six days hold the first five waits and four of a day, each up to a step longer.
                #expect((8...10).contains(times.count), "\(times.count)")
                for (index, (earlier, later)) in zip(times, times.dropFirst()).enumerated() {
                    let gap = later - earlier
                    #expect(gap >= waits[index] && gap <= waits[index] + step + .minutes(1), "\(index): \(gap)")
                }
            }
            #expect(try await trial.rows().values.allSatisfy { $0.attempts == 0 && $0.state == "active" })
        }
    }

    @Test("an expired receipt is tried once a day for a week and then lost; a quiet one is retired, as is normal")
    func expiry() async throws {
        try await TestDatabase.migrated { test in
            let (failing, quiet) = ("device-000001", "device-000002")
            let match = { (device: String) in "\"match\": {\"from_day\": 1, \"device_refs\": [\"\(device)\"]}" }
            let stage = try Stage(
                test, devices: 2,
                scenario: scenario("{\(match(failing)), \"body\": \"json\"}", "{\(match(quiet)), \"status\": 404}"))
            let trial = try await Trial(stage, test)
            // The receipts that the first run brings live 90 days.
            var codes: [ExitCode] = []
            for _ in 0..<8 {
                codes.append(try await trial.refresh().code)
                try stage.wait(.days(11))
            }
            try stage.wait(.days(2))
            let sentBefore = try trial.requests()
            #expect(codes.allSatisfy { $0 == .success || $0 == .dataServerUnavailable })
            var runs: [Trial.Run] = []
            for _ in 0..<40 {
                runs.append(try await trial.refresh())
                try stage.wait(.hours(6))
            }
            #expect(runs.map { $0.summary["retired"] ?? 0 }.reduce(0, +) == 1)
            #expect(runs.map { $0.summary["lost"] ?? 0 }.reduce(0, +) == 1)
            let lost = try #require(runs.first { $0.summary["lost"] == 1 })
            #expect(lost.code == .attention)
            let retired = try #require(runs.first { $0.summary["retired"] == 1 })
            #expect(retired.code != .attention)
            let tries = try #require(try trial.requests()[failing]) - (sentBefore[failing] ?? 0)
            #expect((7...8).contains(tries), "\(tries)")
            #expect(try trial.requests()[quiet] == sentBefore[quiet])
            let rows = try await trial.rows()
            #expect(rows[failing]?.state == "lost" && rows[quiet]?.state == "retired")
        }
    }

    @Test("a fleet that has fallen silent is in order, and a device that comes back is noticed")
    func silence() async throws {
        try await TestDatabase.migrated { test in
            let back = "device-000003"
            let stage = try Stage(
                test, devices: 10,
                scenario: #"{"attestations": [{"device_ref": "\#(back)", "at_day": 45, "count": 2}]}"#)
            let trial = try await Trial(stage, test)
            #expect(try await trial.refresh().summary["replaced"] == 10)
            try stage.wait(.days(40))
            let silent = try await trial.refresh()
            #expect(silent.code == .success && silent.summary["quiet"] == 10)
            #expect(!silent.errors.contains("error: "))
            let warnings = silent.errors.split(separator: "\n").filter { line in
                line.contains("warning: ") && !line.contains("not Apple's")
                    && !line.contains("no run has come to its end") && !line.contains("this machine's clock")
            }
            #expect(warnings.isEmpty, "\(warnings)")
            let status = try #require(try jsonLines(try await stage.attestwatch("status", "--json").output).first)
            #expect(status["quiet"] as? Int == 10 && status["due"] as? Int == 0)
            try stage.wait(.days(14) + .hours(1))
            let run = try await trial.refresh()
            #expect(run.code == .success && run.summary["quiet"] == 9 && run.summary["replaced"] == 1)
            #expect(run.events[back]?["risk_metric"] as? Int == 2)
            #expect(try await trial.rows()[back]?.state == "active")
        }
    }

    @Test("a reading keeps its own date through 404s and failures, and the key's level says quiet or stale")
    func datesStay() async throws {
        try await TestDatabase.migrated { test in
            let (quiet, failing) = ("device-000001", "device-000002")
            let fault = #"{"match": {"from_day": 1, "device_refs": ["\#(failing)"]}, "status": 503}"#
            let stage = try Stage(test, devices: 2, scenario: scenario(fault), requestsPerSecond: 100)
            let trial = try await Trial(stage, test)
            #expect(try await trial.refresh().summary["replaced"] == 2)
            let before = try await levels(trial)
            for _ in 0..<5 {
                try stage.wait(.days(8))
                _ = try await trial.refresh()
            }
            let after = try await levels(trial)
            #expect(before.map(\.level) == ["clear", "clear"])
            #expect(after.map(\.level) == ["quiet", "stale"])
            // The quiet device was read for as long as there was something to read.
            #expect(after.map(\.device) == [quiet, failing])
            #expect(after[1].time == before[1].time)
            let lastRead = try await trial.test.number(
                """
                SELECT count(*) FROM attestwatch.metric_reading m JOIN attestwatch.attested_key k USING (key_id)
                WHERE k.device_ref = '\(quiet)' AND extract(epoch FROM m.creation_time)::bigint = \(after[0].time)
                """)
            #expect(lastRead == 1)
            let newest = try await trial.test.number(
                """
                SELECT extract(epoch FROM max(m.creation_time))::bigint
                FROM attestwatch.metric_reading m JOIN attestwatch.attested_key k USING (key_id)
                WHERE k.device_ref = '\(quiet)'
                """)
            #expect(newest == after[0].time)
        }
    }

    /// What `key_level` says of every device now.
    private func levels(_ trial: Trial) async throws -> [(device: String, level: String, time: Int)] {
        let now = trial.stage.attestwatch.clock.now().rfc3339
        let lines = try await trial.test.texts(
            """
            SELECT concat_ws(' ', k.device_ref, l.level, extract(epoch FROM l.metric_time)::bigint)
            FROM attestwatch.attested_key k CROSS JOIN LATERAL attestwatch.key_level(k.key_id, '\(now)') l
            ORDER BY k.device_ref
            """)
        return try lines.map { line in
            let parts = line.split(separator: " ").map(String.init)
            return (parts[0], parts[1], try #require(Int(parts[2])))
        }
    }

    @Test("300 receipts that are never given anything and are due first keep no other waiting, run after run")
    func noStarving() async throws {
        try await TestDatabase.migrated { test in
            let bad = (1...300).map { "device-" + String(1_000_000 + $0).dropFirst() }
            let stage = try Stage(
                test, devices: 400, scenario: scenario(fault(#""status": 304"#, for: bad)),
                cadence: #"{clear: "1d", flagged: "1d"}"#)
            let trial = try await Trial(stage, test)
            for round in 0..<3 {
                try await trial.setOrder(trial.devices)
                let run = try await trial.refresh()
                #expect(run.code == .success, "\(run.errors)")
                #expect(run.summary["due"] == 400 && run.summary["sent"] == 400, "round \(round)")
                #expect(run.summary["early"] == 300 && run.summary["replaced"] == 100, "round \(round)")
                try stage.wait(.days(2))
            }
            #expect(try await trial.rows().values.allSatisfy { $0.attempts == 0 && $0.state == "active" })
        }
    }

    @Test("receipts that one run has replaced, whose windows open together, come due over a day and more, not together")
    func spread() async throws {
        try await TestDatabase.migrated { test in
            let count = 1_500
            let stage = try Stage(test, devices: count, requestsPerSecond: 10_000, inFlight: 300)
            let trial = try await Trial(stage, test)
            #expect(try await trial.refresh().summary["replaced"] == count)
            let window = "SELECT extract(epoch FROM max(not_before) - min(not_before))::bigint FROM attestwatch.receipt"
            #expect(try await test.number(window) < 3_600)
            // The last fifth of the week is 33 hours and a half long.
            let span =
                "SELECT extract(epoch FROM max(due_time) - min(due_time))::bigint / 3600 FROM attestwatch.schedule"
            #expect((30...34).contains(try await test.number(span)))
            let busiest = try await test.number(
                """
                SELECT max(h.count) FROM (
                    SELECT count(*) FROM attestwatch.schedule GROUP BY date_trunc('hour', due_time)) AS h
                """)
            #expect(busiest < 2 * count / 34, "\(busiest)")
        }
    }
}
