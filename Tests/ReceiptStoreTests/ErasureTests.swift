import AppAttest
import Foundation
import Postgres
import ReceiptStore
import Refresh
import Testing

/// A few users and devices with all that is kept of any.
private struct Household {
    let stores: Stores
    let erasure: PostgresErasureStore

    /// Noon of the day after the keys were taken in.
    static let noon = start + .days(2)

    /// Keys 1 and 2 are Anna's and 9 is Ben's, on one phone; 4 is Anna's tablet, 5 a key of hers without a device, 6 of
    /// nobody, 7 Ben's phone, and 8 Anna's phone as another app sees it. 20 and 21 of Anna's were only handed over.
    init(_ stores: Stores) async throws {
        self.stores = stores
        erasure = PostgresErasureStore(
            database: try Database(stores.test.conninfo), rules: StoreRules(random: SplitMix(state: 3)))
        func attest(_ number: Int, _ device: String?, _ user: String?, app: AppID = app) -> VerifiedIntake {
            let age = Duration.hours(10 - number)
            return intake(
                receipt(number, created: start - age, metric: nil, type: .attest, app: app), device: device, user: user)
        }
        _ = try await stores.intake.takeIn(
            [
                attest(9, "phone-anna", "user-ben"), attest(1, "phone-anna", "user-anna"),
                attest(2, "phone-anna", "user-anna"), attest(4, "tablet-anna", "user-anna"),
                attest(5, nil, "user-anna"), attest(6, nil, nil), attest(7, "phone-ben", "user-ben"),
                attest(8, "phone-anna", "user-anna", app: otherApp),
            ], now: start)
        try await stores.answer(
            [1, 2, 9, 4, 5, 6, 7].map { receipt($0, created: start + .days(1), metric: $0 == 6 ? 1 : 20 + $0) })
        try await stores.execute(Self.more)
    }

    private static let more = """
        INSERT INTO attestwatch.metric_reading VALUES
            (\(bytes(1)), '2020-02-02 00:00Z', 5), (\(bytes(1)), '2026-12-31 23:59Z', 6),
            (\(bytes(7)), '2020-02-02 00:00Z', 7);
        INSERT INTO attestwatch.kept_answer (key_id, received_time, sent_creation_time, sent_digest, fault, bytes)
            SELECT key_id, now(), creation_time, digest, 'chain', 'x' FROM attestwatch.receipt
            WHERE key_id IN (\(bytes(1)), \(bytes(9)), \(bytes(7)));
        INSERT INTO attestwatch.intake (key_id, app_id, device_ref, user_ref, receipt) VALUES
            (\(bytes(20)), '\(app)', 'phone-new', 'user-anna', 'a'), (\(bytes(1)), '\(app)', NULL, NULL, 'b'),
            (\(bytes(9)), '\(app)', NULL, 'user-anna', 'c'), (\(bytes(22)), '\(app)', 'phone-ben', 'user-ben', 'd');
        INSERT INTO attestwatch.intake_rejected
            (key_id, digest, app_id, submitted_time, rejected_time, device_ref, user_ref, reason, detail, receipt)
            VALUES (\(bytes(21)), sha256('e'), '\(app)', now(), now(), 'phone-anna', 'user-anna', 'other', '', 'e');
        INSERT INTO attestwatch.flag_event (flag_id, event_time, kind, from_level, to_level, key_id, actor, note)
            SELECT f.flag_id, now(), 'raised', f.level, f.level, n.key_id, 'ruth', n.note
            FROM attestwatch.flag f
            CROSS JOIN (VALUES
                (\(bytes(9)), 'ben''s key'), (NULL, 'user-anna says hello'), (NULL, 'looked at'),
                (NULL, '\(base64(2))'), (\(bytes(1)), 'by her key')) AS n (key_id, note)
            WHERE f.subject LIKE '%phone-anna'
        """

    private static func bytes(_ number: Int) -> String { "'\\x\(hex(number))'::bytea" }

    private static func hex(_ number: Int) -> String {
        key(number).bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private static func base64(_ number: Int) -> String { Data(key(number).bytes).base64EncodedString() }

    /// Every row of every table, each behind its table's name.
    func dump() async throws -> [String] {
        var rows: [String] = []
        let tables = try await stores.texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'attestwatch'::regnamespace AND relkind = 'r' ORDER BY 1
            """)
        for table in tables {
            rows += try await stores.texts("SELECT '\(table) ' || t::text FROM attestwatch.\(table) t ORDER BY 1")
        }
        return rows
    }

    /// The rows that have one of these words in them, or one of these keys in hexadecimal or base64.
    func found(_ words: [String], _ keys: [Int], in dump: [String]) -> [String] {
        let needles = words + keys.map(Self.base64) + keys.map(Self.hex)
        return dump.filter { row in needles.contains { row.contains($0) } }
    }

    /// The numbers of the keys that a table has.
    func keys(in table: String) async throws -> [Int] {
        let sql = "SELECT get_byte(key_id, 31)::text FROM attestwatch.\(table) ORDER BY key_id"
        return try await stores.texts(sql).compactMap(Int.init)
    }

    /// Flags as they stand: level, open or not, and whose.
    func flags() async throws -> [String] {
        try await stores.texts(
            """
            SELECT concat_ws(' ', level, peak_metric, closed_time IS NULL,
                regexp_replace(subject, '^erased:[0-9a-f-]{36}$', 'erased'))
            FROM attestwatch.flag ORDER BY peak_metric, closed_time IS NULL
            """)
    }
}

@Suite("Erasure")
struct ErasureTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: ErasureSelection.Name
        var app: AppID?
        /// What may not be found anywhere afterwards.
        var words: [String] = []
        let keys: [Int]
        let left: [Int]
        let submissionsLeft: [Int]
        var rejectionsLeft = [21]
        let counts: [Int]
        let openFlags: [Int]

        var testDescription: String { "\(name) \(app.map(\.text) ?? "")" }
    }

    /// Counts: keys, receipts, readings, submissions, rejections, kept answers, flags closed.
    private static let cases = [
        Case(
            name: .user("user-anna"), words: ["user-anna", "tablet-anna", "phone-new"], keys: [1, 2, 4, 5, 8, 20, 21],
            left: [6, 7, 9], submissionsLeft: [22], rejectionsLeft: [], counts: [5, 5, 6, 3, 1, 1, 2],
            openFlags: [27, 29]),
        Case(
            name: .device("phone-anna"), words: ["phone-anna"], keys: [1, 2, 8, 9, 21], left: [4, 5, 6, 7],
            submissionsLeft: [20, 22], rejectionsLeft: [], counts: [4, 4, 5, 2, 1, 2, 1], openFlags: [24, 25, 27]),
        Case(
            name: .device("phone-anna"), app: app, words: ["phone-anna"], keys: [1, 2, 9, 21], left: [4, 5, 6, 7, 8],
            submissionsLeft: [20, 22], rejectionsLeft: [], counts: [3, 3, 5, 2, 1, 2, 1], openFlags: [24, 25, 27]),
        Case(
            name: .user("user-anna"), app: otherApp, keys: [8], left: [1, 2, 4, 5, 6, 7, 9],
            submissionsLeft: [1, 9, 20, 22], counts: [1, 1, 0, 0, 0, 0, 0], openFlags: [24, 25, 27, 29]),
        Case(
            name: .key(key(1)), keys: [1], left: [2, 4, 5, 6, 7, 8, 9], submissionsLeft: [9, 20, 22],
            counts: [1, 1, 3, 1, 0, 1, 0], openFlags: [24, 25, 27, 29]),
        Case(
            name: .key(key(5)), keys: [5], left: [1, 2, 4, 6, 7, 8, 9], submissionsLeft: [1, 9, 20, 22],
            counts: [1, 1, 1, 0, 0, 0, 1], openFlags: [24, 27, 29]),
        Case(
            name: .key(key(20)), keys: [20], left: [1, 2, 4, 5, 6, 7, 8, 9], submissionsLeft: [1, 9, 22],
            counts: [0, 0, 0, 1, 0, 0, 0], openFlags: [24, 25, 27, 29]),
        Case(
            name: .user("user-an"), keys: [], left: [1, 2, 4, 5, 6, 7, 8, 9], submissionsLeft: [1, 9, 20, 22],
            counts: [0, 0, 0, 0, 0, 0, 0], openFlags: [24, 25, 27, 29]),
    ]

    @Test("what is erased is found nowhere, what stays is as it was, and a second time finds nothing", arguments: cases)
    func erased(_ one: Case) async throws {
        try await Stores.lend { stores in
            let house = try await Household(stores)
            let selection = ErasureSelection(name: one.name, app: one.app)
            let before = try await house.dump()
            for word in one.words { #expect(!house.found([word], [], in: before).isEmpty, "\(word)") }
            for number in one.keys { #expect(!house.found([], [number], in: before).isEmpty, "key \(number)") }

            let rehearsed = try await house.erasure.rehearse(selection, now: Household.noon)
            #expect(try await house.dump() == before)
            let erasure = try await house.erasure.erase(selection, now: Household.noon)
            #expect(rehearsed == erasure)
            let counts = erasure.counts
            #expect(
                [
                    counts.keys, counts.receipts, counts.readings, counts.submissions, counts.rejections,
                    counts.keptAnswers, counts.flagsClosed,
                ] == one.counts)
            #expect(erasure.keys == Set(one.keys.map(key)))
            let after = try await house.dump()
            // Of the other app's device the name stays, where only one app's is erased.
            let words = one.app == nil ? one.words : []
            #expect(house.found(words, one.keys, in: after) == [])

            for table in ["attested_key", "receipt", "schedule"] {
                #expect(try await house.keys(in: table) == one.left, "\(table)")
            }
            #expect(try await house.keys(in: "intake") == one.submissionsLeft)
            #expect(try await house.keys(in: "intake_rejected") == one.rejectionsLeft)
            #expect(Set(try await house.keys(in: "metric_reading")) == Set(one.left).subtracting([8]))
            let open = try await stores.texts(
                "SELECT peak_metric::text FROM attestwatch.flag WHERE closed_time IS NULL")
            #expect(Set(open.compactMap(Int.init)) == Set(one.openFlags))
            let tables = ["attested_key", "receipt", "kept_answer", "metric_reading"]
            let rowsLeft = { (dump: [String]) in
                dump.filter { row in
                    tables.contains { row.hasPrefix($0) } && house.found([], one.keys, in: [row]).isEmpty
                }
            }
            #expect(rowsLeft(after) == rowsLeft(before))

            let again = try await house.erasure.erase(selection, now: Household.noon)
            #expect(again == Erasure(keys: [], counts: Erasure.Counts()))
            #expect(try await house.dump() == after)
        }
    }

    @Test("a flag ends with its last key and leads nowhere; with other keys left it loses what named the erased ones")
    func flags() async throws {
        try await Stores.lend { stores in
            let house = try await Household(stores)
            let selection = ErasureSelection(name: .user("user-anna"))
            let erasure = try await house.erasure.erase(selection, now: Household.noon)
            // The two flags, the event that opened each, and three events of the phone's.
            #expect(erasure.counts.referencesStruck == 2 + 2 + 4)
            let phone = "device:\(app) production phone"
            #expect(
                try await house.flags() == [
                    "high 24 f erased", "high 25 f erased", "high 27 t \(phone)-ben", "high 29 t \(phone)-anna",
                ])
            let subjects = try await stores.texts("SELECT subject FROM attestwatch.flag WHERE closed_time IS NOT NULL")
            #expect(Set(subjects).count == 2)
            let ends = try await stores.texts(
                """
                SELECT concat_ws(' ', f.peak_metric, f.version, e.kind, e.from_level, coalesce(e.to_level, '-'),
                    e.actor, e.event_time = f.closed_time)
                FROM attestwatch.flag_event e JOIN attestwatch.flag f USING (flag_id)
                WHERE f.closed_time IS NOT NULL AND e.kind <> 'opened' ORDER BY f.peak_metric
                """)
            #expect(ends == ["24 2 erased high - attestwatch t", "25 2 erased high - attestwatch t"])
            let notes = try await stores.texts(
                """
                SELECT concat_ws(' ', coalesce(get_byte(e.key_id, 31)::text, '-'), coalesce(e.note, '-'))
                FROM attestwatch.flag_event e JOIN attestwatch.flag f USING (flag_id)
                WHERE f.peak_metric = 29 AND e.kind <> 'opened' ORDER BY e.event_id
                """)
            #expect(notes == ["9 ben's key", "- -", "- looked at", "- -", "- -"])
        }
    }

    /// A note on the flag of somebody else's device, and what is left of it once user-anna, or the key 1, is erased.
    struct Note: CustomTestStringConvertible, Sendable {
        let text: String
        let left: String?
        var testDescription: String { text }
    }

    private static func notes(_ stores: Stores, peak: Int) async throws -> [String] {
        try await stores.texts(
            """
            SELECT coalesce(e.note, '-')
            FROM attestwatch.flag_event e JOIN attestwatch.flag f USING (flag_id)
            WHERE f.peak_metric = \(peak) AND e.kind = 'reviewed' ORDER BY e.event_id
            """)
    }

    @Test("in notes on others' flags the name goes where it is a word of its own, and a note with the key in it goes")
    func othersNotes() async throws {
        let hexadecimal = String(repeating: "0", count: 63) + "1"
        let base64 = Data(key(1).bytes).base64EncodedString()
        let url = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let notes = [
            Note(text: "lent by user-anna, she says", left: "lent by [erased], she says"),
            Note(text: "user-anna", left: "[erased]"),
            Note(text: "tablet-anna, like phone-anna", left: "[erased], like phone-anna"),
            Note(text: "(user-anna) user-anna.", left: "([erased]) [erased]."),
            Note(text: "user-anna2 and xuser-anna, user-anna-b", left: "user-anna2 and xuser-anna, user-anna-b"),
            Note(text: "see \(base64)", left: nil), Note(text: "see \(hexadecimal.uppercased())!", left: nil),
            Note(text: "see \(url),", left: nil), Note(text: "nothing of hers", left: "nothing of hers"),
            Note(
                text: String(repeating: "x", count: 990) + " user-anna",
                left: String(repeating: "x", count: 990) + " [erased]"),
        ]
        try await Stores.lend { stores in
            let house = try await Household(stores)
            for note in notes {
                try await stores.execute(
                    """
                    INSERT INTO attestwatch.flag_event (
                        flag_id, event_time, kind, from_level, to_level, actor, verdict, note)
                    SELECT flag_id, now(), 'reviewed', level, level, 'ruth', 'unclear', '\(note.text)'
                    FROM attestwatch.flag WHERE peak_metric = 27
                    """)
            }
            let before = try await house.dump()
            let anna = ErasureSelection(name: .user("user-anna"))
            _ = try await house.erasure.erase(ErasureSelection(name: .user("user-anna"), app: otherApp), now: start)
            #expect(try await Self.notes(stores, peak: 27) == notes.map(\.text))
            let rehearsed = try await house.erasure.rehearse(anna, now: Household.noon)
            let erased = try await house.erasure.erase(anna, now: Household.noon)
            let after = try await house.dump()
            #expect(rehearsed == erased && before != after)
            #expect(try await Self.notes(stores, peak: 27) == notes.map { $0.left ?? "-" })
            let again = try await house.erasure.erase(anna, now: Household.noon)
            #expect(again.counts == Erasure.Counts())
        }
    }

    @Test("a name that a pattern would read otherwise is found as it is, and one that may be any word is left")
    func patterns() async throws {
        try await Stores.lend { stores in
            let house = try await Household(stores)
            let names = ["a.c*", "(b|c)+", "x\\\\d", "Zo\u{eb} R.", "12", "abc"]
            for name in names + ["abcc", "cccc"] {
                try await stores.execute(
                    """
                    INSERT INTO attestwatch.flag_event (
                        flag_id, event_time, kind, from_level, to_level, actor, verdict, note)
                    SELECT flag_id, now(), 'reviewed', level, level, 'ruth', 'unclear', E'with \(name)?'
                    FROM attestwatch.flag WHERE peak_metric = 27
                    """)
            }
            for name in names {
                let plain = name.replacing("\\\\", with: "\\")
                _ = try await house.erasure.erase(ErasureSelection(name: .user(plain)), now: Household.noon)
            }
            #expect(
                try await Self.notes(stores, peak: 27)
                    == Array(repeating: "with [erased]?", count: 2) + ["with x\\d?", "with [erased]?"]
                    + ["12", "abc", "abcc", "cccc"].map { "with \($0)?" })
        }
    }

    @Test("the newest key that a device has left is read as such")
    func newestLeft() async throws {
        try await Stores.lend { stores in
            let house = try await Household(stores)
            let ben = "SELECT rank FROM attestwatch.schedule WHERE get_byte(key_id, 31) = 2"
            #expect(try await stores.number(ben) == Rank.background.rawValue)
            let due = """
                SELECT extract(epoch FROM due_time)::bigint FROM attestwatch.schedule WHERE get_byte(key_id, 31) = 2
                """
            let before = try await stores.number(due)
            _ = try await house.erasure.erase(ErasureSelection(name: .key(key(9))), now: Household.noon)
            #expect(try await stores.number(ben) == Rank.flagged.rawValue)
            #expect(try await stores.number(due) < before)
            // The one before it stays where it was.
            let older = "SELECT rank FROM attestwatch.schedule WHERE get_byte(key_id, 31) = 1"
            #expect(try await stores.number(older) == Rank.background.rawValue)
        }
    }
}
