import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Risk
import Testing

@Suite("Flags through the store")
struct FlagTests {
    @Test("a flag opens, rises, falls and clears with hysteresis, and each step is an event")
    func hysteresis() async throws {
        let steps: [(metric: Int, change: FlagChange)] = [
            (3, .unchanged), (4, .opened(.watch)), (3, .unchanged), (6, .raised(from: .watch, to: .review)),
            (25, .raised(from: .review, to: .high)), (14, .unchanged), (13, .lowered(from: .high, to: .review)),
            (4, .lowered(from: .review, to: .watch)), (2, .cleared(from: .watch)), (20, .opened(.high)),
        ]
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            for (day, step) in steps.enumerated() {
                let stored = try await stores.answer([
                    receipt(1, created: start + .days(day + 1), metric: step.metric)
                ])
                #expect(stored[0].flagChange == step.change, "reading \(step.metric)")
            }
            let events = try await stores.texts(
                """
                SELECT concat_ws(' ', kind, from_level, to_level, risk_metric)
                FROM attestwatch.flag_event ORDER BY event_id
                """)
            #expect(
                events == [
                    "opened watch 4", "raised watch review 6", "raised review high 25", "lowered high review 13",
                    "lowered review watch 4", "cleared watch 2", "opened high 20",
                ])
            let flags = try await stores.texts(
                """
                SELECT concat_ws(' ', level, peak_metric, version, closed_time IS NULL)
                FROM attestwatch.flag ORDER BY flag_id
                """)
            #expect(flags == ["watch 25 6 f", "high 20 1 t"])
        }
    }

    @Test("a higher reading under the same level raises the peak alone")
    func peak() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            try await stores.answer([receipt(1, created: start + .days(1), metric: 30)])
            try await stores.answer([receipt(1, created: start + .days(2), metric: 50)])
            let device = try #require(try await stores.reports.flaggedDevices(at: start + .days(2)).first)
            #expect(device.peakMetric == 50 && device.riskMetric == 50)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.flag_event") == 1)
        }
    }

    @Test("two workers with two keys of each device open one flag a device")
    func twoWorkers() async throws {
        try await Stores.lend { stores in
            let devices = 1..<101
            let intakes = devices.flatMap { device in
                [
                    VerifiedIntake.attest(device, device: "device \(device)"),
                    .attest(1_000 + device, device: "device \(device)"),
                ]
            }
            _ = try await stores.intake.takeIn(intakes, now: start)
            let due = try await stores.due()
            func outcomes(_ numbers: [Int]) -> [Outcome] {
                numbers.compactMap { number in
                    due[key(number)].map {
                        Outcome(
                            due: $0, sentTime: nil, reply: nil,
                            ending: .answered(receipt(number, created: start + .days(1), metric: 7)))
                    }
                }
            }
            let other = PostgresRefreshStore(
                database: try Database(stores.test.conninfo), rules: StoreRules(random: SplitMix(state: 2)))
            async let left = stores.refresh.store(outcomes(Array(devices)), now: start + .days(1))
            async let right = other.store(outcomes(devices.reversed().map { 1_000 + $0 }), now: start + .days(1))
            let changes = try await (left + right).map(\.flagChange)
            #expect(changes.count { $0 == .opened(.review) } == 100)
            #expect(changes.count { $0 == .unchanged } == 100)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.flag") == 100)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.metric_reading") == 200)
        }
    }

    @Test("of more flagged devices than the day's calls suffice for, each is read more seldom")
    func manyFlagged() async throws {
        try await Stores.lend { stores in
            let cadence = Cadence(
                clear: .days(7), flagged: .days(1), quiet: .days(14), background: .days(14), firstReading: .hours(1),
                flaggedCallsADay: 2)
            let refresh = PostgresRefreshStore(
                database: stores.test.database,
                rules: StoreRules(cadences: [app: cadence], random: SplitMix(state: 2)))
            try await stores.takeIn(1..<7)
            let now = start + .days(1)
            let due = try await stores.due()
            let outcomes = try (1..<7).map { number in
                Outcome(
                    due: try #require(due[key(number)]), sentTime: nil, reply: nil,
                    ending: .answered(receipt(number, created: now, metric: 30)))
            }
            // Six of them, two calls a day: every three days.
            for stored in try await refresh.store(outcomes, now: now) {
                let wait = try #require(stored.dueTime) - now
                #expect((.days(3)...(.days(3) + .hours(1))).contains(wait), "\(wait)")
            }
        }
    }

    @Test("two keys of one device in one batch make one change, counted once")
    func oneBatch() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn(
                [.attest(1, device: "phone"), .attest(2, device: "phone")], now: start)
            let stored = try await stores.answer([
                receipt(1, created: start + .days(1), metric: 4), receipt(2, created: start + .days(1), metric: 21),
            ])
            #expect(stored.map(\.flagChange) == [.opened(.high), .unchanged])
        }
    }

    @Test("a clean key does not hide a heavy device, and a reading of 30 days ago speaks no more")
    func highestOfAnyKey() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn(
                [.attest(1, device: "phone"), .attest(2, device: "phone")], now: start)
            try await stores.answer([receipt(1, created: start + .days(1), metric: 21)])
            let clean = try await stores.answer([receipt(2, created: start + .days(2), metric: 1)])
            #expect(clean[0].flagChange == .unchanged)
            let later = try await stores.answer([receipt(2, created: start + .days(31), metric: 1)])
            #expect(later[0].flagChange == .cleared(from: .high))
        }
    }

    @Test("the same device_ref under two apps, or in two environments, is two subjects")
    func subjectsApart() async throws {
        try await Stores.lend { stores in
            let receipts = [
                receipt(1, metric: 9), receipt(2, metric: 9, app: otherApp),
                receipt(3, metric: 9, environment: .development),
            ]
            let outcomes = try await stores.intake.takeIn(receipts.map { intake($0, device: "phone") }, now: start)
            #expect(outcomes.allSatisfy { $0.flagChange == .opened(.review) })
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.flag") == 3)
        }
    }

    @Test("the list shows a device's newest key, its highest fresh reading and how many keys it has")
    func list() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn(
                [
                    .attest(1, device: "phone"), .attest(2, created: start + .hours(1), device: "phone"),
                    .attest(3), .attest(4),
                ], now: start + .hours(1))
            try await stores.answer([
                receipt(1, created: start + .days(1), metric: 9), receipt(2, created: start + .days(2), metric: 8),
                receipt(3, created: start + .days(2), metric: 22), receipt(4, created: start + .days(2), metric: 1),
            ])
            let now = start + .days(3)
            let devices = try await stores.reports.flaggedDevices(at: now)
            #expect(devices.map(\.level) == [.high, .review])
            #expect(devices.map(\.keyID) == [key(3), key(2)])
            #expect(devices.map(\.deviceRef) == [nil, "phone"])
            #expect(devices.map(\.riskMetric) == [22, 9])
            #expect(devices.map(\.peakMetric) == [22, 9])
            #expect(devices.map(\.keyCount) == [1, 2])
            #expect(devices.map(\.freshness) == [.fresh, .fresh])
            #expect(try await stores.reports.flaggedDevices(FlaggedFilter(minimumLevel: .high), at: now).count == 1)
            #expect(try await stores.reports.flaggedDevices(FlaggedFilter(app: otherApp), at: now).isEmpty)
            let old = try await stores.reports.flaggedDevices(at: start + .days(40))
            #expect(old.map(\.freshness) == [.stale, .stale])
            try await stores.goQuiet(3, at: now)
            #expect(try await stores.reports.flaggedDevices(at: now).map(\.freshness) == [.quiet, .fresh])
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.flagged_device") == 2)
        }
    }
}
