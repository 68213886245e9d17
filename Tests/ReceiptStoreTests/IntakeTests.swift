import AppAttest
import ReceiptStore
import Refresh
import Risk
import Testing

@Suite("Taking in")
struct IntakeTests {
    @Test("taking in twice changes nothing")
    func twice() async throws {
        try await Stores.lend { stores in
            let intakes = [VerifiedIntake.attest(1), intake(receipt(2, metric: 9), device: "phone", user: "ada")]
            let dump = """
                SELECT md5(string_agg(concat(k, r, s, f), '' ORDER BY k.key_id))
                FROM attestwatch.attested_key k
                JOIN attestwatch.receipt r USING (key_id) JOIN attestwatch.schedule s USING (key_id)
                LEFT JOIN attestwatch.flag f USING (subject)
                """
            let first = try await stores.intake.takeIn(intakes, now: start)
            #expect(first.map(\.result) == [.takenIn, .takenIn])
            #expect(first.map(\.flagChange) == [.unchanged, .opened(.review)])
            let before = try await stores.texts(dump)
            let second = try await stores.intake.takeIn(intakes, now: start + .days(60))
            #expect(second.map(\.result) == [.unchanged, .unchanged])
            #expect(second.map(\.flagChange) == [.unchanged, .unchanged])
            #expect(try await stores.texts(dump) == before)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.flag_event") == 1)
        }
    }

    @Test("a newer receipt replaces the stored one, an older one only leaves its reading")
    func newerAndOlder() async throws {
        try await Stores.lend { stores in
            let newer = receipt(1, created: start + .days(3), metric: 2)
            let oldest = receipt(1, created: start + .days(1), metric: 50)
            let outcomes = try await stores.intake.takeIn(
                [.attest(1), intake(newer), intake(oldest)], now: start + .days(3))
            #expect(outcomes.map(\.result) == [.takenIn, .replaced, .older])
            #expect(outcomes.map(\.flagChange) == [.unchanged, .unchanged, .unchanged])
            #expect(try await stores.due()[key(1)]?.receiptDigest == newer.digest)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.metric_reading") == 2)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.flag") == 0)
        }
    }

    @Test("a key known under another app, or in another environment, is rejected and stays as it is")
    func conflicts() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<3)
            let outcomes = try await stores.intake.takeIn(
                [
                    intake(receipt(1, created: start + .days(1), app: otherApp)),
                    intake(receipt(2, created: start + .days(1), environment: .development)),
                    intake(receipt(3, created: start + .days(1))),
                ], now: start + .days(1))
            #expect(
                outcomes.map(\.result) == [
                    .rejected(.knownUnderAnotherApp(app)), .rejected(.knownInAnotherEnvironment(.production)), .takenIn,
                ])
            #expect(try await stores.due()[key(1)]?.creationTime == start)
            #expect(try await stores.due()[key(2)]?.creationTime == start)
        }
    }

    @Test(
        "a reference that cannot be stored is rejected by its name",
        arguments: ["", "nul \0 inside", String(repeating: "x", count: 513)])
    func references(text: String) async throws {
        try await Stores.lend { stores in
            let outcomes = try await stores.intake.takeIn(
                [
                    intake(receipt(1), device: text), intake(receipt(2), user: text), .attest(3),
                ], now: start)
            #expect(
                outcomes.map(\.result) == [
                    .rejected(.referenceUnusable(field: "device_ref")),
                    .rejected(.referenceUnusable(field: "user_ref")), .takenIn,
                ])
        }
    }

    @Test("a device_ref once set, or left out, stays; the difference is reported")
    func deviceRefStays() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn([.attest(1, device: "phone"), .attest(2)], now: start)
            let outcomes = try await stores.intake.takeIn(
                [
                    intake(receipt(1, created: start + .days(1)), device: "tablet"),
                    intake(receipt(2, created: start + .days(1)), device: "tablet"),
                    intake(receipt(1, created: start + .days(2)), device: "phone"),
                    intake(receipt(1, created: start + .days(3))),
                ], now: start + .days(3))
            #expect(outcomes.map(\.result) == [.replaced, .replaced, .replaced, .replaced])
            #expect(outcomes.map(\.isDeviceRefIgnored) == [true, true, false, false])
            #expect(
                try await stores.due()[key(1)]?.subject == .device(app, .production, deviceRef: "phone"))
            #expect(try await stores.due()[key(2)]?.subject == .key(key(2)))
        }
    }

    @Test("a user named later is kept where none was, and the first that was named stays")
    func userRef() async throws {
        try await Stores.lend { stores in
            let users = "SELECT coalesce(user_ref, '-') FROM attestwatch.attested_key"
            for (user, expected) in [(nil, "-"), ("u-1", "u-1"), (nil, "u-1"), ("u-2", "u-1")] {
                let intake = VerifiedIntake(
                    receipt: receipt(1), deviceRef: nil, userRef: user, attestedTime: nil)
                _ = try await stores.intake.takeIn([intake], now: start)
                #expect(try await stores.texts(users) == [expected])
            }
        }
    }

    @Test("a receipt with a value that the database refuses is rejected alone")
    func refusedValue() async throws {
        try await Stores.lend { stores in
            let outcomes = try await stores.intake.takeIn(
                [.attest(1), intake(receipt(2, metric: .max)), .attest(3)], now: start)
            #expect(outcomes[0].result == .takenIn && outcomes[2].result == .takenIn)
            #expect(
                outcomes[1].result == .rejected(.valueRefused(sqlState: "22003", message: "integer out of range")))
        }
    }

    @Test("first readings of a crowd are spread over the time allowed for them")
    func spread() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<501)
            let due = try await stores.due().values.map(\.schedule)
            #expect(due.allSatisfy { $0.rank == .firstReading && $0.dueTime >= start })
            #expect(due.allSatisfy { $0.dueTime <= start + .hours(1) + SchedulePlanner.margin })
            let quarters = Dictionary(grouping: due) { ($0.dueTime - start).wholeMicroseconds / 900_000_000 }
            #expect((0..<4).allSatisfy { (quarters[$0]?.count ?? 0) > 90 })
        }
    }

    @Test("a back-fill's new keys come evenly over its time, behind all others, and a plan counts them as readers")
    func backFill() async throws {
        try await Stores.lend { stores in
            func backFill(_ receipt: VerifiedReceipt, device: String? = nil) -> VerifiedIntake {
                VerifiedIntake(
                    receipt: receipt, deviceRef: device, userRef: nil, attestedTime: nil, spread: .days(7))
            }
            try await stores.takeIn(0..<1)
            let known = try await stores.due()[key(0)]?.schedule
            let expiring = start - .days(85)
            _ = try await stores.intake.takeIn(
                (0..<701).map { backFill(receipt($0, type: .attest)) }
                    + [
                        backFill(receipt(701, created: expiring, type: .attest)),
                        backFill(receipt(702, created: start - .days(2), metric: 30)),
                        backFill(receipt(703, created: start - .days(3), type: .attest), device: "d"),
                        backFill(receipt(704, created: start - .days(4), type: .attest), device: "d"),
                    ], now: start)
            let due = try await stores.due()
            #expect(due[key(0)]?.schedule == known)
            let spread = (1..<701).compactMap { due[key($0)]?.schedule } + [try #require(due[key(703)]).schedule]
            #expect(spread.count == 701 && spread.allSatisfy { $0.rank == .background })
            let days = Dictionary(grouping: spread) { ($0.dueTime - start).components.seconds / 86_400 }
            #expect(days.keys.sorted() == Array(0..<7) && days.values.allSatisfy { (60...140).contains($0.count) })
            // What cannot wait keeps its own date and rank.
            #expect(due[key(701)]?.schedule.rank == .expiring && due[key(701)]?.schedule.dueTime == start)
            #expect(due[key(702)]?.schedule.rank == .flagged)
            #expect(try #require(due[key(702)]).schedule.dueTime < start + .hours(2))
            #expect(try #require(due[key(704)]).schedule.dueTime > start + .days(11))
            // A newer receipt of a key that is on record is none of a back-fill's.
            _ = try await stores.intake.takeIn(
                [backFill(receipt(5, created: start + .days(1), metric: 1))], now: start + .days(1))
            #expect(try await stores.due()[key(5)]?.schedule.rank == .routine)

            let survey = try await PostgresFleetSurvey(database: stores.test.database).survey(
                app: nil, days: 30, budgets: [.production: 10, .development: 10], at: start)
            #expect(survey.groups.filter { !$0.isReader }.map(\.count) == [1])
        }
    }

    @Test("a device is read through its newest key; the key it overtakes goes to the background")
    func newestKey() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn([.attest(1, device: "phone")], now: start)
            #expect(try await stores.due()[key(1)]?.schedule.rank == .firstReading)
            _ = try await stores.intake.takeIn(
                [
                    .attest(2, created: start + .hours(1), device: "phone"),
                    .attest(3, created: start + .hours(2), device: "phone"),
                ], now: start + .hours(2))
            let due = try await stores.due()
            #expect(due[key(1)]?.schedule.rank == .background)
            #expect(due[key(2)]?.schedule.rank == .background)
            #expect(due[key(3)]?.schedule.rank == .firstReading)
            #expect(try #require(due[key(1)]).schedule.dueTime > start + .days(10))
            let stored = try await stores.answer([
                receipt(1, created: start + .days(1), metric: 1), receipt(3, created: start + .days(1), metric: 1),
            ])
            #expect(try #require(stored[0].dueTime) > start + .days(10))
            #expect(try #require(stored[1].dueTime) < start + .days(9))
        }
    }

    @Test("an older key with a flagged device's highest reading goes on being read as flagged")
    func heaviestKey() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn(
                [.attest(1, device: "phone"), .attest(2, created: start + .hours(1), device: "phone")],
                now: start + .hours(1))
            try await stores.answer([receipt(1, created: start + .days(1), metric: 21)])
            try await stores.answer([receipt(2, created: start + .days(1), metric: 2)])
            let due = try await stores.due()
            #expect(due[key(1)]?.schedule.rank == .flagged)
            #expect(due[key(2)]?.schedule.rank == .flagged)
        }
    }

    @Test("the database and the program name a subject alike")
    func subjects() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn([.attest(1), .attest(2, device: "a phone: é")], now: start)
            let found = try await stores.texts("SELECT subject FROM attestwatch.attested_key")
            let subjects = try await stores.due().values.map(\.subject)
            #expect(Set(found) == Set(subjects.map(\.storageKey)))
            #expect(try await stores.due().values.allSatisfy { $0.schedule.shard == $0.subject.shard })
        }
    }
}
