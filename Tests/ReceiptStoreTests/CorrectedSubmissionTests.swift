import AppAttest
import Postgres
import ReceiptStore
import Refresh
import TestSupport
import Testing

@Suite("A receipt handed over again says what the first call did not, or said wrong")
struct CorrectedSubmissionTests {
    private let bytes = "decode(lpad('1', 64, '0'), 'hex')"

    private func submit(_ stores: Stores, _ named: String, app: AppID = app) async throws -> [String] {
        try await stores.texts("SELECT attestwatch.submit_receipt('\(app)', \(bytes), 'a receipt'::bytea\(named))")
    }

    /// Takes in all that waits, as verified, and gives how many that were.
    private func run(_ stores: Stores) async throws -> Int {
        let store = Self.store(stores)
        let waiting = try await store.pending(
            IntakeQueue(app: app, isBackFill: false), in: [.production], after: 0, through: .max, limit: 9)
        let outcomes = try await store.settle(Self.judged(waiting), now: start)
        return outcomes.count { if case .takenIn = $0 { true } else { false } }
    }

    private static func store(_ stores: Stores) -> PostgresSubmissionStore {
        PostgresSubmissionStore(
            database: stores.test.database, rules: StoreRules(random: SplitMix(state: 3)),
            words: { SubmissionRejection(reason: "store", detail: "\($0)") })
    }

    private static func judged(_ waiting: [SubmittedReceipt]) -> [JudgedSubmission] {
        waiting.map { one in
            let intake = VerifiedIntake(
                receipt: receipt(1, type: .attest), deviceRef: one.deviceRef, userRef: one.userRef,
                attestedTime: one.attestedTime)
            return JudgedSubmission(submitted: one, judgement: .accepted(intake))
        }
    }

    private func erased(_ stores: Stores, user: String) async throws -> Erasure.Counts {
        let erasure = PostgresErasureStore(
            database: try Database(stores.test.conninfo), rules: StoreRules(random: SplitMix(state: 3)))
        return try await erasure.erase(ErasureSelection(name: .user(user)), now: start).counts
    }

    private static let waiting = """
        SELECT concat_ws(' ', app_id, coalesce(environment, '-'), coalesce(device_ref, '-'), coalesce(user_ref, '-'),
            coalesce(extract(epoch FROM attested_time)::bigint::text, '-'))
        FROM attestwatch.intake
        """

    @Test("what waits takes the last app and environment, and the first references; what is left out stays")
    func waits() async throws {
        try await Stores.lend { stores in
            _ = try await submit(stores, ", 'development', attested_time => to_timestamp(5)", app: otherApp)
            #expect(try await stores.texts(Self.waiting) == ["\(otherApp) development - - 5"])
            for (named, expected) in [
                ("", "\(app) development - - 5"),
                (", 'production', attested_time => to_timestamp(6)", "\(app) production - - 6"),
                (", device_ref => 'd'", "\(app) production d - 6"),
                (", user_ref => 'u'", "\(app) production d u 6"),
                (", 'production', 'other', 'other', to_timestamp(7)", "\(app) production d u 6"),
            ] {
                #expect(try await submit(stores, named) == ["pending"])
                #expect(try await stores.texts(Self.waiting) == [expected])
            }
            // The same once more leaves the row alone.
            let row = "SELECT concat(intake_id, ' ', xmin, ' ', submitted_time) FROM attestwatch.intake"
            let before = try await stores.texts(row)
            #expect(try await submit(stores, ", 'production', 'd', 'u'") == ["pending"])
            #expect(try await stores.texts(row) == before)
        }
    }

    @Test("what is corrected while a run judges what it was before is left to the next one")
    func whileJudged() async throws {
        try await Stores.lend { stores in
            _ = try await submit(stores, "")
            let store = Self.store(stores)
            let read = try await store.pending(
                IntakeQueue(app: app, isBackFill: false), in: [.production], after: 0, through: .max, limit: 9)
            #expect(try await submit(stores, ", user_ref => 'u'") == ["pending"])
            let outcomes = try await store.settle(Self.judged(read), now: start)
            #expect(outcomes.count { if case .gone = $0 { true } else { false } } == 1)
            #expect(try await run(stores) == 1)
            #expect(try await stores.texts("SELECT user_ref FROM attestwatch.attested_key") == ["u"])
        }
    }

    @Test("a receipt of a key on record that waits under another app is corrected too")
    func ofKnownKey() async throws {
        try await Stores.lend { stores in
            _ = try await submit(stores, "")
            #expect(try await run(stores) == 1)
            #expect(try await submit(stores, "", app: otherApp) == ["pending"])
            #expect(try await submit(stores, "") == ["pending"])
            #expect(try await run(stores) == 1)
            #expect(try await submit(stores, "") == ["taken_in"])
        }
    }

    @Test("a user whom only a second call names is found by an erasure, before and after the next run")
    func namedLater() async throws {
        try await Stores.lend { stores in
            for isTakenIn in [false, true] {
                // Waiting, and on record.
                _ = try await submit(stores, "")
                if isTakenIn { #expect(try await run(stores) == 1) }
                #expect(try await submit(stores, ", user_ref => 'u'") == ["pending"])
                if isTakenIn {
                    #expect(try await run(stores) == 1)
                    #expect(try await submit(stores, ", user_ref => 'u'") == ["taken_in"])
                    #expect(try await submit(stores, ", user_ref => 'other'") == ["taken_in"])
                    #expect(try await stores.texts("SELECT user_ref FROM attestwatch.attested_key") == ["u"])
                }
                let counts = try await erased(stores, user: "u")
                #expect(counts.keys == (isTakenIn ? 1 : 0) && counts.submissions == (isTakenIn ? 0 : 1))
            }
            // Between the second call and the run both the key and what waits go.
            _ = try await submit(stores, "")
            #expect(try await run(stores) == 1)
            #expect(try await submit(stores, ", user_ref => 'u'") == ["pending"])
            let counts = try await erased(stores, user: "u")
            #expect(counts.keys == 1 && counts.submissions == 1)
        }
    }
}
