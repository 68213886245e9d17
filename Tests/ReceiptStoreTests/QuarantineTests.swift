import AppAttest
import ReceiptStore
import Refresh
import TestSupport
import Testing

@Suite("What waits for a person")
struct QuarantineTests {
    private static let noon = start + .days(2)

    /// The store of a person's decisions, beside those of a run.
    private func desk(_ stores: Stores) -> PostgresQuarantineStore {
        PostgresQuarantineStore(
            database: stores.test.database, rules: StoreRules(random: SplitMix(state: 5)), batchSize: 100)
    }

    /// Puts a key aside.
    private func quarantine(
        _ number: Int, _ reason: QuarantineReason = .notVerified, at now: Instant = noon, in stores: Stores
    ) async throws {
        try await stores.keep(number, at: now) { row in
            row.state = .quarantined
            row.quarantineReason = reason
            row.lastOutcome = .quarantined
            row.attempts = 3
        }
    }

    private func selection(
        keys: Set<KeyIdentifier>? = nil, reason: QuarantineReason? = nil, since: Instant? = nil,
        before: Instant? = nil, app: AppID? = nil
    ) -> QuarantineSelection {
        var selection = QuarantineSelection()
        selection.keys = keys
        selection.reason = reason
        selection.since = since
        selection.before = before
        selection.app = app
        return selection
    }

    private func states(_ stores: Stores) async throws -> [String] {
        try await stores.texts("SELECT state FROM attestwatch.schedule ORDER BY key_id")
    }

    @Test("the list says why and since when, what Apple said last, and how many answers are kept")
    func list() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn([.attest(1, device: "phone"), .attest(2)], now: start)
            let row = try #require(try await stores.due()[key(1)])
            var schedule = row.schedule
            (schedule.state, schedule.quarantineReason, schedule.attempts) = (.quarantined, .notVerified, 3)
            (schedule.lastOutcome, schedule.lastOutcomeTime) = (.quarantined, Self.noon)
            let reply = DataServerReply(
                reply: .receipt(ReceiptBytes([1])), status: 200, date: nil, traceID: "trace", spanID: nil,
                excerpt: "said")
            let outcome = Outcome(
                due: row, sentTime: nil, reply: reply, ending: .kept(schedule),
                fault: AnswerFault(kind: .notVerified, word: "chain", detail: ""),
                token: try await stores.tokens()(row))
            _ = try await stores.refresh.store([outcome], now: Self.noon)
            let expected = QuarantinedKey(
                keyID: key(1), appID: app, environment: .production, deviceRef: "phone", state: .quarantined,
                reason: .notVerified, since: Self.noon, attempts: 3, lastStatus: 200, lastTraceID: "trace",
                lastExcerpt: "said", expirationTime: start + .days(90), keptAnswers: 1)
            #expect(try await desk(stores).list(QuarantineSelection()) == [expected])
            let counted = try await desk(stores).count(QuarantineSelection())
            #expect(counted.keys == 1 && counted.answers == 1)
        }
    }

    @Test("keys are selected by name, reason, time and app, and by all of these together")
    func selected() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<5)
            _ = try await stores.intake.takeIn(
                [intake(receipt(5, created: start, type: .attest, app: otherApp))], now: start)
            try await quarantine(1, .environment, at: Self.noon, in: stores)
            try await quarantine(2, .badRequest, at: Self.noon + .hours(1), in: stores)
            try await quarantine(3, .badRequest, at: Self.noon + .hours(2), in: stores)
            try await quarantine(5, .badRequest, at: Self.noon + .hours(3), in: stores)
            let desk = desk(stores)
            func found(_ selection: QuarantineSelection) async throws -> Set<KeyIdentifier> {
                Set(try await desk.list(selection).map(\.keyID))
            }
            #expect(try await found(selection()) == [key(1), key(2), key(3), key(5)])
            #expect(try await found(selection(keys: [key(2), key(4), key(9)])) == [key(2)])
            #expect(try await found(selection(reason: .badRequest)) == [key(2), key(3), key(5)])
            #expect(try await found(selection(reason: .notNewer)) == [])
            #expect(try await found(selection(since: Self.noon + .hours(1))) == [key(2), key(3), key(5)])
            #expect(try await found(selection(before: Self.noon + .hours(1))) == [key(1)])
            #expect(try await found(selection(app: otherApp)) == [key(5)])
            let narrow = selection(reason: .badRequest, since: Self.noon + .hours(2), app: app)
            #expect(try await found(narrow) == [key(3)])
            #expect(try await desk.release(narrow, now: Self.noon + .hours(4)) == 1)
            let left = try await states(stores)
            #expect(left == ["quarantined", "quarantined", "active", "active", "quarantined"])
        }
    }

    @Test("what is released is sent again with nothing charged, spread over an hour, never before it may be sent")
    func released() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<253)
            // Its receipt may not be sent before a day has passed.
            try await stores.answer([receipt(1, created: Self.noon, metric: 1)])
            try await stores.execute(
                """
                UPDATE attestwatch.schedule SET state = 'quarantined', quarantine_reason = 'not_verified',
                    attempts = 3, failures = 2, last_outcome = 'quarantined', last_outcome_time = due_time
                WHERE key_id <> (SELECT max(key_id::text)::bytea FROM attestwatch.schedule)
                """)
            let now = Self.noon + .hours(2)
            let others = try #require(try await stores.due()[key(252)]?.schedule)
            #expect(try await desk(stores).release(QuarantineSelection(), now: now) == 251)
            let rows = try await stores.due()
            #expect(rows.count == 252 && rows[key(252)]?.schedule == others)
            let early = try #require(rows[key(1)]?.schedule)
            let opens = Self.noon + .days(1) + SchedulePlanner.margin
            #expect(early.dueTime >= opens && early.dueTime <= opens + .hours(1))
            let spread = (2..<252).compactMap { rows[key($0)]?.schedule }
            #expect(
                spread.allSatisfy {
                    $0.state == .active && $0.attempts == 0 && $0.failures == 0 && $0.rank == .firstReading
                        && $0.dueTime >= now && $0.dueTime <= now + .hours(1)
                })
            // 250 even draws: each of six parts of the hour has about 40.
            let parts = Dictionary(grouping: spread) { ($0.dueTime - now).components.seconds / 600 }
            #expect((0..<6).allSatisfy { (15...70).contains(parts[$0]?.count ?? 0) })
            #expect(try await stores.number("SELECT count(quarantine_reason) FROM attestwatch.schedule") == 0)
        }
    }

    @Test("a released receipt that has expired goes by the usual rule: tried, and lost a week after it expired")
    func releasedTooLate() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            try await quarantine(1, in: stores)
            let now = start + .days(91)
            #expect(try await desk(stores).release(QuarantineSelection(), now: now) == 1)
            let row = try #require(try await stores.due()[key(1)]?.schedule)
            #expect(row.rank == .expiring && row.dueTime >= now && row.dueTime <= now + .hours(1))
            #expect(try await stores.refresh.endExpired(now: now, app: nil).lost == 0)
            try await stores.keep(1, at: now) { $0.dueTime = now + .days(1) }
            #expect(try await stores.refresh.endExpired(now: start + .days(98), app: nil).lost == 1)
        }
    }

    @Test("what is dropped keeps its receipt and its reason, and is sent no more; its kept answers go")
    func dropped() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            try await quarantine(1, .foreignTeam, in: stores)
            try await quarantine(2, in: stores)
            try await stores.execute(
                """
                INSERT INTO attestwatch.kept_answer
                    (key_id, received_time, sent_creation_time, sent_digest, fault, bytes)
                SELECT key_id, now(), creation_time, digest, 'chain', '\\x30' FROM attestwatch.receipt
                """)
            let counts = try await desk(stores).drop(selection(keys: [key(1), key(3)]))
            #expect(counts.keys == 1 && counts.answers == 1)
            #expect(try await states(stores) == ["dropped", "quarantined", "active"])
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.receipt") == 3)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.kept_answer") == 2)
            #expect(try await stores.due()[key(1)] == nil)
            #expect(try await stores.refresh.endExpired(now: start + .days(200), app: nil).lost == 0)
            let listed = try await desk(stores).list(QuarantineSelection(), in: [.dropped])
            #expect(listed.map(\.keyID) == [key(1)] && listed[0].reason == .foreignTeam)
            #expect(listed[0].since == Self.noon)
            #expect(try await desk(stores).list(QuarantineSelection()).map(\.keyID) == [key(2)])
            // In bulk only what waits is released.
            #expect(try await desk(stores).release(QuarantineSelection(), now: Self.noon) == 1)
            #expect(try await states(stores) == ["dropped", "active", "active"])
            let named = selection(keys: [key(1)])
            #expect(try await desk(stores).release(named, in: [.quarantined, .dropped], now: Self.noon) == 1)
            #expect(try await states(stores) == ["active", "active", "active"])
        }
    }

    @Test("a dropped key is never quiet and never clean by itself: it is unknown, or stale once its reading is old")
    func droppedLevel() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            let read = start + .days(1)
            try await stores.answer([receipt(2, created: read, metric: 1), receipt(3, created: read, metric: 8)])
            for number in 1..<4 { try await quarantine(number, in: stores) }
            #expect(try await desk(stores).drop(QuarantineSelection()).keys == 3)
            func levels(_ time: Duration) async throws -> [String] {
                var levels: [String] = []
                for number in 1..<4 {
                    levels.append(try await stores.reports.keyLevel(of: key(number), at: start + time).level)
                }
                return levels
            }
            #expect(try await levels(.days(3)) == ["unknown", "clear", "review"])
            #expect(try await levels(.days(31)) == ["unknown", "stale", "stale"])
            let flagged = try await stores.reports.flaggedDevices(at: start + .days(31))
            #expect(flagged.map(\.keyID) == [key(3)] && flagged.map(\.freshness) == [.stale])
            let status = try await stores.reports.fleetStatus(at: start + .days(3))
            #expect(status.dropped == 3 && status.fresh == 0 && status.quiet == 0 && status.unknown == 0)
        }
    }

    @Test("a dropped key comes back with a newer receipt, whoever brings it, and with no other")
    func comesBack() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<5)
            let claimed = try await stores.due()
            for number in 1..<5 { try await quarantine(number, in: stores) }
            #expect(try await desk(stores).drop(QuarantineSelection()).keys == 4)
            let later = Self.noon + .hours(1)
            func outcome(_ number: Int, created: Instant) throws -> Outcome {
                Outcome(
                    due: try #require(claimed[key(number)]), sentTime: nil, reply: nil,
                    ending: .answered(receipt(number, created: created, metric: 1)))
            }
            // An intake of a newer receipt, and of the one that is stored; a late answer, as from a journal, and one
            // that is no newer.
            _ = try await stores.intake.takeIn(
                [intake(receipt(1, created: later)), intake(receipt(2, created: start, type: .attest))], now: later)
            let stored = try await stores.refresh.store(
                [try outcome(3, created: later), try outcome(4, created: start)], now: later)
            #expect(stored.map(\.word) == [.replaced, .superseded])
            #expect(try await states(stores) == ["active", "dropped", "active", "dropped"])
            #expect(try await stores.number("SELECT count(quarantine_reason) FROM attestwatch.schedule") == 2)
            #expect(try await stores.due()[key(3)]?.schedule.attempts == 0)
        }
    }

    @Test("kept answers are read key by key, all of a key at once, and by selection")
    func keptAnswers() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<6)
            try await quarantine(2, .notNewer, in: stores)
            try await stores.execute(
                """
                INSERT INTO attestwatch.kept_answer
                    (key_id, received_time, server_date, sent_creation_time, sent_digest, fault, bytes)
                SELECT r.key_id, r.creation_time + n * interval '1 day', r.creation_time, r.creation_time, r.digest,
                    'chain', int4send(n)
                FROM attestwatch.receipt r, generate_series(1, 2) AS n
                WHERE r.key_id <> (SELECT max(key_id::text)::bytea FROM attestwatch.receipt)
                """)
            let desk = desk(stores)
            func read(
                _ selection: QuarantineSelection = QuarantineSelection(), after cursor: Int? = nil, limit: Int = 10
            ) async throws -> [KeptAnswer] {
                try await desk.keptAnswers(selection, after: cursor.map(key), keyLimit: limit)
            }
            let first = try await read(limit: 2)
            #expect(first.map(\.entry.keyID) == [key(1), key(1), key(2), key(2)])
            let row = try #require(try await stores.due()[key(1)])
            #expect(
                first[1].entry
                    == JournalEntry(
                        receivedTime: start + .days(2), serverDate: start, environment: .production, appID: app,
                        keyID: key(1), sentDigest: row.receiptDigest, sentCreationTime: start,
                        answer: ReceiptBytes([0, 0, 0, 2])))
            #expect(try await read(after: 2).map(\.entry.keyID) == [key(3), key(3), key(4), key(4)])
            #expect(try await read(after: 4).isEmpty)
            #expect(try await read(selection(reason: .notNewer)).map(\.entry.keyID) == [key(2), key(2)])
            #expect(try await read(selection(keys: [key(4), key(5)])).map(\.entry.keyID) == [key(4), key(4)])
            #expect(try await read(selection(before: start + .days(1))).isEmpty)
            #expect(try await read(selection(since: start + .days(2))).count == 8)
            #expect(try await read(selection(app: otherApp)).isEmpty)
            try await desk.removeAnswers(first.prefix(3).map(\.number))
            #expect(try await read(limit: 2).map(\.entry.keyID) == [key(2), key(3), key(3)])
        }
    }
}
