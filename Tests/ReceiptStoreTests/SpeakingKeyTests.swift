import AppAttest
import Foundation
import Postgres
import ReceiptStore
import Refresh
import TestSupport
import Testing

@Suite("The keys that speak for a device")
struct SpeakingKeyTests {
    /// How each subject stands, from all of its keys: the definition, however long it takes.
    private static let plainStandings = """
        SELECT concat_ws(' ', reading.subject, reading.risk_metric, reading.metric_time,
            CASE WHEN reading.any_fresh THEN 'fresh' WHEN reading.is_quiet THEN 'quiet' ELSE 'stale' END)
        FROM (
            SELECT one.*, bool_or(is_fresh AND NOT is_quiet) OVER (PARTITION BY subject) AS any_fresh,
                row_number() OVER (
                    PARTITION BY subject
                    ORDER BY is_fresh DESC, CASE WHEN is_fresh THEN risk_metric END DESC, metric_time DESC,
                        risk_metric DESC, is_quiet) AS place
            FROM (
                SELECT k.subject, r.risk_metric, r.metric_time,
                    r.metric_time > asked.at - interval '30 days' AS is_fresh,
                    s.state IN ('quiet', 'retired') AS is_quiet
                FROM attestwatch.attested_key k
                JOIN attestwatch.receipt r USING (key_id)
                JOIN attestwatch.schedule s USING (key_id)
                CROSS JOIN (VALUES (to_timestamp(AT))) AS asked (at)
                WHERE r.metric_time IS NOT NULL
            ) AS one
        ) AS reading
        WHERE reading.place = 1
        ORDER BY 1
        """

    private static let standings = """
        SELECT concat_ws(' ', k.subject, l.risk_metric, l.metric_time, l.freshness)
        FROM (SELECT DISTINCT subject FROM attestwatch.attested_key) AS k
        CROSS JOIN LATERAL attestwatch.subject_standing(k.subject, to_timestamp(AT)) AS l
        ORDER BY 1
        """

    private func expectPlain(_ stores: Stores, at time: Instant, _ note: Comment) async throws {
        let at = String(Double(time.microseconds) / 1e6)
        let plain = try await stores.texts(Self.plainStandings.replacingOccurrences(of: "AT)", with: "\(at))"))
        let found = try await stores.texts(Self.standings.replacingOccurrences(of: "AT)", with: "\(at))"))
        #expect(found == plain, note)
    }

    /// Days of a few devices, in which their keys come, are read, go quiet, wake and are erased.
    private func live(_ stores: Stores, seed: UInt64) async throws {
        var random = SplitMix(state: seed)
        let erasure = PostgresErasureStore(
            database: try Database(stores.test.conninfo), rules: StoreRules(random: SplitMix(state: 9)))
        var keys: [Int] = []
        var now = start
        for day in 1...45 {
            now = now + .hours(Int.random(in: 4...40, using: &random))
            let newcomers = (0..<Int.random(in: 0...4, using: &random)).map { day * 10 + $0 }
            _ = try await stores.intake.takeIn(
                newcomers.map { number in
                    .attest(
                        number, created: now, device: number % 5 == 0 ? nil : "device-\(number % 2)")
                }, now: now)
            keys += newcomers
            let read = keys.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
            // Of equal times and equal counts there are many; some answers come late.
            let answers = read.map { number in
                receipt(
                    number, created: now - .hours(Int.random(in: 0...2, using: &random) * 30),
                    metric: Int.random(in: 0...6, using: &random))
            }
            try await stores.answer(answers, at: now)
            if let number = keys.randomElement(using: &random), Bool.random(using: &random) {
                try await stores.goQuiet(number, at: now)
            }
            if day % 9 == 0, let number = keys.randomElement(using: &random) {
                _ = try await erasure.erase(ErasureSelection(name: .key(key(number))), now: now)
                keys.removeAll { $0 == number }
            }
            if day % 5 == 0 {
                for ahead in [0, 9, 29, 31, 60] {
                    try await expectPlain(stores, at: now + .days(ahead), "seed \(seed), day \(day), \(ahead) days on")
                }
            }
        }
        // At the second at which each reading grows stale, and the one before.
        for number in keys.prefix(12) {
            let times = try await stores.texts(
                """
                SELECT extract(epoch FROM metric_time)::bigint::text FROM attestwatch.receipt
                WHERE get_byte(key_id, 31) + 256 * get_byte(key_id, 30) = \(number)
                    AND metric_time IS NOT NULL
                """)
            for time in times.compactMap(Int64.init) {
                let stale = Instant(seconds: time) + .days(30)
                try await expectPlain(stores, at: stale, "seed \(seed), stale")
                try await expectPlain(stores, at: stale - .seconds(1), "seed \(seed), almost")
            }
        }
        #expect(try await stores.number("SELECT count(*) FROM attestwatch.speaking_key") > 3)
        try await expectChosenAnew(stores, seed)
        for number in keys { _ = try await erasure.erase(ErasureSelection(name: .key(key(number))), now: now) }
        #expect(try await stores.number("SELECT count(*) FROM attestwatch.speaking_key") == 0)
    }

    /// What is kept is what would be chosen of what is stored.
    private func expectChosenAnew(_ stores: Stores, _ seed: UInt64) async throws {
        let kept = try await stores.texts("SELECT s::text FROM attestwatch.speaking_key s ORDER BY 1")
        try await stores.execute(
            """
            DELETE FROM attestwatch.speaking_key;
            SELECT attestwatch.choose_speaking_keys(array_agg(subject)) FROM attestwatch.attested_key
            """)
        let chosen = try await stores.texts("SELECT s::text FROM attestwatch.speaking_key s ORDER BY 1")
        #expect(kept == chosen, "seed \(seed)")
    }

    @Test(
        "a subject stands as all of its keys say, whatever has happened to them and whenever it is asked for",
        arguments: [1, 2, 3, 4] as [UInt64])
    func asDefined(seed: UInt64) async throws {
        try await Stores.lend { stores in try await live(stores, seed: seed) }
    }

    /// One device that has 20,000 keys, whose count fell with every reading until half of them were quiet and no
    /// reading was fresh but the last, another with a single key, and a third with eight.
    private static let fleet = """
        INSERT INTO attestwatch.attested_key (key_id, app_id, environment, public_key, device_ref, added_time)
        SELECT sha256(int8send(n)), '\(app)', 'production', sha256('') || sha256('') || '\\x00',
            CASE WHEN n <= 20000 THEN 'heavy' WHEN n = 20001 THEN 'lone' ELSE 'few' END, now()
        FROM generate_series(1, 20009) AS n;
        INSERT INTO attestwatch.receipt (key_id, receipt_type, creation_time, expiration_time, risk_metric,
            metric_time, stored_time, digest, attested_certificate_digest, token_digest, signer_serial, bytes)
        SELECT sha256(int8send(n)), 'RECEIPT', t.time, now() + interval '90 days', 20010 - n, t.time, now(),
            sha256(''), sha256(''), sha256(''), '\\x01', '\\x30'
        FROM generate_series(1, 20009) AS n
        CROSS JOIN LATERAL (VALUES (now() - interval '1 hour'
            - CASE WHEN n < 20000 THEN (20000 - n) * interval '1 second' + interval '29 days 20 hours'
                ELSE interval '0' END)) AS t (time);
        INSERT INTO attestwatch.schedule (key_id, due_time, expiration_time, shard, rank, state)
        SELECT sha256(int8send(n)), now(), now() + interval '90 days', 0, 3,
            CASE WHEN n % 2 = 1 AND n < 20000 THEN 'quiet' ELSE 'active' END
        FROM generate_series(1, 20009) AS n;
        """

    /// Pages that one call of `key_level` reads, once a session has planned it.
    private func pages(_ session: TestDatabase, of number: Int) async throws -> Int {
        let asked = "SELECT * FROM attestwatch.key_level(sha256(int8send(\(number))))"
        for _ in 0..<7 { _ = try await session.texts("SELECT level FROM (\(asked)) AS l") }
        let plan = try await session.texts("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) \(asked)")
        // The uppermost node's count has all that the function does in it.
        let buffers = try #require(plan.first { $0.contains("Buffers: ") })
        return buffers.matches(of: /(?:hit|read)=([0-9]+)/).compactMap { Int($0.1) }.reduce(0, +)
    }

    @Test("a level costs no more pages at 20,000 keys than at eight", arguments: [false, true])
    func bounded(isAnalyzed: Bool) async throws {
        try await Stores.lend { stores in
            try await stores.execute(Self.fleet)
            try await stores.execute(
                "SELECT attestwatch.choose_speaking_keys(array_agg(subject)) FROM attestwatch.attested_key")
            if isAnalyzed { try await stores.execute("ANALYZE") }
            let session = try stores.test.anew()
            let lone = try await pages(session, of: 20_001)
            let few = try await pages(session, of: 20_009)
            let heavy = try await pages(session, of: 1)
            #expect(lone > 0 && lone < few, "\(lone) of a device with one key")
            #expect(few <= 150 && heavy <= few, "\(few) of a device with eight keys, \(heavy) with 20,000")
            let levels = try await stores.texts(
                "SELECT l::text FROM attestwatch.key_level(sha256(int8send(1)), now() + interval '1 day') AS l")
            #expect(levels.first?.hasPrefix("(clear,10,") == true, "\(levels)")
        }
    }

    @Test("of what a program before this one stored of a device, nothing is shown as clear that is not")
    func notChosen() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn((1...10).map { .attest($0, device: "d") }, now: start)
            let read = start + .days(1)
            try await stores.answer((1...10).map { receipt($0, created: read, metric: $0 % 3) })
            #expect(try await stores.reports.keyLevel(of: key(1), at: start + .days(2)).level == "clear")
            let chosen = try await stores.texts("SELECT s::text FROM attestwatch.speaking_key s")
            #expect(!chosen.isEmpty)
            for number in 1...10 { try await stores.goQuiet(number, at: start + .days(2)) }
            // As it was before the keys went quiet.
            try await stores.execute(
                """
                DELETE FROM attestwatch.speaking_key;
                INSERT INTO attestwatch.speaking_key
                SELECT (l::attestwatch.speaking_key).* FROM unnest(ARRAY['\(chosen.joined(separator: "','"))']) AS l
                """)
            for number in 1...10 {
                #expect(try await stores.reports.keyLevel(of: key(number), at: start + .days(3)).level == "quiet")
            }
        }
    }

    @Test("a device whose ninth key a program before this one added stands as all of its keys say")
    func noneChosen() async throws {
        try await Stores.lend { stores in
            _ = try await stores.intake.takeIn((1...8).map { .attest($0, device: "d") }, now: start)
            try await stores.answer((1...8).map { receipt($0, created: start + .days(1), metric: $0 * 3) })
            _ = try await stores.intake.takeIn([.attest(9, device: "d")], now: start + .days(2))
            try await stores.execute("DELETE FROM attestwatch.speaking_key")
            for days in [2, 30, 32] { try await expectPlain(stores, at: start + .days(days), "\(days) days on") }
            let level = try await stores.reports.keyLevel(of: key(9), at: start + .days(2))
            #expect(level.riskMetric == 24)
        }
    }
}
