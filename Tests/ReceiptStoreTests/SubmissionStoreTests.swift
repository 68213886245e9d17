import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Risk
import TestSupport
import Testing

@Suite("What was handed over in SQL is taken in or rejected")
struct SubmissionStoreTests {
    private static func store(_ test: TestDatabase) -> PostgresSubmissionStore {
        PostgresSubmissionStore(
            database: test.database, rules: StoreRules(random: SplitMix(state: 3)),
            words: { SubmissionRejection(reason: "store", detail: "\($0)") })
    }

    private static let queue = IntakeQueue(app: app, isBackFill: false)

    /// Hands over one receipt of each of these keys, as bytes that say the key's number.
    private func submit(_ numbers: Range<Int>, _ stores: Stores, at time: Instant = start) async throws {
        try await stores.execute(
            """
            SELECT attestwatch.submit_receipt('\(app)', decode(lpad(to_hex(n), 64, '0'), 'hex'), int8send(n),
                at => to_timestamp(\(time.seconds)))
            FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound - 1)) AS n
            """)
    }

    private func pending(
        _ store: PostgresSubmissionStore, after: Int64 = 0, limit: Int = 1_000
    ) async throws -> [SubmittedReceipt] {
        try await store.pending(
            Self.queue, in: [.production], after: after, through: .max, limit: limit)
    }

    /// The number that a submission's key and its bytes say.
    private static func number(_ submitted: SubmittedReceipt) -> Int {
        submitted.receipt.bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// A judge to whom all is good, but for the keys named.
    private static func judged(
        _ submitted: [SubmittedReceipt], refusing bad: Set<Int> = [],
        _ made: (Int) -> VerifiedReceipt = { receipt($0, type: .attest) }
    ) -> [JudgedSubmission] {
        submitted.map { one in
            let number = number(one)
            let rejection = SubmissionRejection(reason: "signature", detail: "expected one, found none")
            return JudgedSubmission(
                submitted: one,
                judgement: bad.contains(number)
                    ? .rejected(rejection)
                    : .accepted(
                        VerifiedIntake(
                            receipt: made(number), deviceRef: one.deviceRef, userRef: one.userRef,
                            attestedTime: one.attestedTime)))
        }
    }

    private static func isTakenIn(_ outcome: SubmissionOutcome) -> Bool {
        if case .takenIn = outcome { true } else { false }
    }

    private func submission(_ number: Int, _ stores: Stores) async throws -> String {
        try await stores.texts(
            """
            SELECT concat_ws(' ', state, reason, detail, extract(epoch FROM submitted_time)::bigint,
                extract(epoch FROM decided_time)::bigint)
            FROM attestwatch.submission(decode(lpad(to_hex(\(number)), 64, '0'), 'hex'))
            """)[0]
    }

    private func submitted(_ number: Int, _ stores: Stores, at time: Instant) async throws -> [String] {
        try await stores.texts(
            """
            SELECT attestwatch.submit_receipt('\(app)', decode(lpad(to_hex(\(number)), 64, '0'), 'hex'),
                int8send(\(number)), at => to_timestamp(\(time.seconds)))
            """)
    }

    @Test("the back end reads what became of it, tries again by handing over again, and nothing is done twice")
    func states() async throws {
        try await Stores.lend { stores in
            let store = Self.store(stores.test)
            let (begun, decided) = (start.seconds, (start + .hours(1)).seconds)
            #expect(try await submission(1, stores) == "not_on_record")
            try await submit(1..<4, stores)
            #expect(try await submission(1, stores) == "pending \(begun)")
            let waiting = try await pending(store)
            #expect(waiting.map(\.number) == [1, 2, 3] && waiting.map(\.submittedTime) == [start, start, start])
            let outcomes = try await store.settle(
                Self.judged(waiting, refusing: [2]), now: start + .hours(1))
            #expect(outcomes.map(Self.isTakenIn) == [true, false, true])
            #expect(try await submission(1, stores) == "taken_in \(begun) \(decided)")
            #expect(
                try await submission(2, stores)
                    == "rejected signature expected one, found none \(begun) \(decided)")
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.intake") == 0)
            #expect(try await stores.due()[key(1)]?.schedule.rank == .firstReading)

            // What went in stays in; what did not waits again.
            #expect(try await submitted(1, stores, at: start + .hours(2)) == ["taken_in"])
            #expect(try await submission(1, stores) == "taken_in \(begun) \(decided)")
            #expect(try await submitted(2, stores, at: start + .hours(2)) == ["pending"])
            #expect(try await submission(2, stores) == "pending \(begun + 7_200)")
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.intake_rejected") == 0)
            _ = try await store.settle(Self.judged(try await pending(store)), now: start + .hours(3))
            #expect(try await submission(2, stores) == "taken_in \(begun + 7_200) \(begun + 10_800)")

            // Once a newer receipt is in its place, the one that was handed over still is known.
            try await stores.answer([receipt(1, created: start + .days(1), metric: 1)])
            #expect(try await submitted(1, stores, at: start + .days(2)) == ["taken_in"])
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.intake") == 0)
        }
    }

    @Test("a newer submission's state stands before the older one's; a key that came another way is taken in too")
    func precedence() async throws {
        try await Stores.lend { stores in
            let store = Self.store(stores.test)
            try await stores.takeIn(1..<2)
            #expect(try await submission(1, stores) == "taken_in \(start.seconds)")
            try await submit(1..<2, stores, at: start + .hours(1))
            #expect(try await submission(1, stores) == "pending \(start.seconds + 3_600)")
            _ = try await store.settle(
                Self.judged(try await pending(store), refusing: [1]), now: start + .hours(2))
            #expect(try await submission(1, stores).hasPrefix("rejected signature "))
            // Another receipt of it is good.
            let other = "attestwatch.submit_receipt('\(app)', lpad('1', 64, '0'), '\\x01'::bytea"
            let time = "to_timestamp(\((start + .hours(3)).seconds))"
            #expect(try await stores.texts("SELECT \(other), at => \(time))") == ["pending"])
            let outcomes = try await store.settle(
                Self.judged(try await pending(store)) { receipt($0, created: start + .hours(2)) },
                now: start + .hours(4))
            #expect(outcomes.map(Self.isTakenIn) == [true])
            #expect(try await submission(1, stores) == "taken_in \(start.seconds + 10_800) \(start.seconds + 14_400)")
        }
    }

    @Test("a receipt that the store refuses, be it for a value in it, is rejected alone among good ones")
    func brokenAlone() async throws {
        try await Stores.lend { stores in
            let store = Self.store(stores.test)
            try await stores.takeIn(30..<31)
            try await submit(0..<100, stores)
            let judged = Self.judged(try await pending(store)) { number in
                switch number {
                case 13: receipt(number, metric: .max)
                case 30: receipt(number, created: start + .days(1), app: otherApp)
                default: receipt(number, type: .attest)
                }
            }
            let outcomes = try await store.settle(judged, now: start)
            #expect(outcomes.filter(Self.isTakenIn).count == 98)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.intake") == 0)
            let rejected = """
                SELECT concat_ws(' ', ltrim(encode(key_id, 'hex'), '0'), reason, detail, length(receipt))
                FROM attestwatch.intake_rejected ORDER BY key_id
                """
            #expect(
                try await stores.texts(rejected) == [
                    "d store \(IntakeRejection.valueRefused(sqlState: "22003", message: "integer out of range")) 8",
                    "1e store \(IntakeRejection.knownUnderAnotherApp(app)) 8",
                ])
        }
    }

    @Test("two workers at once take each in once")
    func twoWorkers() async throws {
        try await Stores.lend { stores in
            try await submit(0..<3_000, stores)
            let databases = [try stores.test.anew(), try stores.test.anew()]
            let outcomes = try await withThrowingTaskGroup(of: [SubmissionOutcome].self) { group in
                for database in databases {
                    group.addTask {
                        let store = Self.store(database)
                        var (outcomes, after) = ([SubmissionOutcome](), Int64(0))
                        while true {
                            let found = try await store.pending(
                                Self.queue, in: [.production], after: after, through: .max, limit: 100)
                            guard let last = found.last else { return outcomes }
                            after = last.number
                            outcomes += try await store.settle(
                                Self.judged(found, refusing: Set((0..<3_000).filter { $0 % 10 == 0 })), now: start)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(outcomes.filter(Self.isTakenIn).count == 2_700)
            #expect(outcomes.count { if case .rejected = $0 { true } else { false } } == 300)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.intake") == 0)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.intake_rejected") == 300)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.schedule") == 2_700)
        }
    }

    @Test("a row of a back-fill that was rejected keeps its spread when it is handed over again; a fresh one has none")
    func spreadKept() async throws {
        try await Stores.lend { stores in
            let store = Self.store(stores.test)
            try await submit(1..<3, stores)
            try await stores.execute("UPDATE attestwatch.intake SET spread = '7 days' WHERE intake_id = 1")
            for isBackFill in [false, true] {
                let waiting = try await store.pending(
                    IntakeQueue(app: app, isBackFill: isBackFill), in: [.production], after: 0, through: .max, limit: 9)
                #expect(waiting.count == 1)
                _ = try await store.settle(Self.judged(waiting, refusing: [1, 2]), now: start)
            }
            try await submit(1..<3, stores, at: start + .hours(1))
            let spreads = "SELECT coalesce(spread::text, '-') FROM attestwatch.intake ORDER BY key_id"
            #expect(try await stores.texts(spreads) == ["7 days", "-"])
        }
    }

    @Test("several receipts of one key in a batch go in in their order, and what was erased meanwhile does not")
    func repeated() async throws {
        try await Stores.lend { stores in
            let store = Self.store(stores.test)
            for day in 0..<3 {
                try await stores.execute(
                    "SELECT attestwatch.submit_receipt('\(app)', lpad('7', 64, '0'), int8send(\(day)))")
            }
            try await submit(8..<9, stores)
            let waiting = try await pending(store)
            let judged = zip(waiting, [0, 2, 1, 0]).map { one, day in
                JudgedSubmission(
                    submitted: one,
                    judgement: .accepted(
                        VerifiedIntake(
                            receipt: receipt(one.keyID == key(8) ? 8 : 7, created: start + .days(day)), deviceRef: nil,
                            userRef: nil, attestedTime: nil)))
            }
            try await stores.execute("DELETE FROM attestwatch.intake WHERE key_id = decode(lpad('8', 64, '0'), 'hex')")
            let outcomes = try await store.settle(judged, now: start + .days(3))
            let results = outcomes.map { outcome -> IntakeResult? in
                if case .takenIn(let outcome) = outcome { outcome.result } else { nil }
            }
            #expect(results == [.takenIn, .replaced, .older, nil])
            #expect(outcomes.last == .gone)
            #expect(try await stores.due().keys.sorted { $0.bytes[31] < $1.bytes[31] } == [key(7)])
        }
    }

    @Test("what waits is read by app, back-fill apart, with the environments asked for, and counted by both")
    func waiting() async throws {
        try await Stores.lend { stores in
            let store = Self.store(stores.test)
            try await submit(0..<3, stores)
            try await stores.execute(
                """
                INSERT INTO attestwatch.intake (app_id, key_id, receipt, environment, spread, submitted_time)
                VALUES ('\(app)', sha256('a'), '\\x30', 'development', null, to_timestamp(\(start.seconds))),
                    ('\(app)', sha256('b'), '\\x30', 'production', '7 days', to_timestamp(\(start.seconds + 1))),
                    ('\(otherApp)', sha256('c'), '\\x30', null, '1 hour 0.5 seconds', to_timestamp(\(start.seconds)))
                """)
            #expect(try await pending(store).count == 3)
            #expect(try await store.newest() == 6)
            let backFill = try await store.pending(
                IntakeQueue(app: otherApp, isBackFill: true), in: [.production], after: 0, through: 6, limit: 9)
            #expect(backFill.map(\.spread) == [.seconds(3_600) + .milliseconds(500)])
            #expect(
                try await store.pending(
                    IntakeQueue(app: otherApp, isBackFill: true), in: [.production], after: 0, through: 5, limit: 9)
                    == [])
            let rows = try await store.waiting(lateBefore: start) { app, environment in
                app == ReceiptStoreTests.app && environment != .development
            }
            #expect(
                rows == [
                    WaitingIntake(app: app, environment: nil, isConfigured: true, count: 3, late: 3, oldest: start),
                    WaitingIntake(
                        app: app, environment: .development, isConfigured: false, count: 1, late: 1, oldest: start),
                    WaitingIntake(
                        app: app, environment: .production, isConfigured: true, count: 1, late: 0,
                        oldest: start + .seconds(1)),
                    WaitingIntake(
                        app: otherApp, environment: nil, isConfigured: false, count: 1, late: 1, oldest: start),
                ])
            let status = try await stores.reports.fleetStatus(at: start)
            #expect([status.pending, status.rejected] == [6, 0])
        }
    }

    @Test(
        "no row that a run could not read gets in",
        arguments: [
            "app_id = 'x'", "app_id = 'A1B2C3D4E5.\u{e9}'", "app_id = 'A1B2C3D4E5.' || repeat('x', 245)",
            "key_id = '\\x00'", "receipt = ''", "receipt = convert_to(repeat('M', 98305), 'UTF8')",
            "environment = 'sandbox'", "device_ref = ''", "user_ref = repeat('x', 513)", "spread = '61 days'",
            "spread = '-1 s'", "attested_time = 'infinity'", "submitted_time = '-infinity'",
        ])
    func bounds(change: String) async throws {
        try await Stores.lend { stores in
            try await submit(1..<2, stores)
            await #expect(throws: PostgresError.self) {
                try await stores.execute("UPDATE attestwatch.intake SET \(change)")
            }
        }
    }
}
