import AppAttest
import Foundation
import Postgres
import ReceiptStore
import Refresh
import Testing

@Suite("Receipts are handed over in SQL")
struct SubmitReceiptTests {
    /// How a value is written in a statement.
    struct Form: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let sql: @Sendable (Data) -> String
    }

    /// Both have digits that the two alphabets write differently, and a last group that is not whole.
    private static let keyID = Data([0xfb, 0xff, 0xbf] + [UInt8](repeating: 7, count: 29))
    private static let bytes = Data([0x30, 0x80, 0xfb, 0xff, 0xbf, 0x00, 0x01])

    private static func base64(_ data: Data) -> String { data.base64EncodedString() }
    private static func urlSafe(_ data: Data) -> String {
        base64(data).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    private static func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    private static let texts = [
        Form(testDescription: "base64") { "'\(base64($0))'" },
        Form(testDescription: "base64 without padding") { "'\(base64($0).replacing("=", with: ""))'" },
        Form(testDescription: "base64url") { "'\(urlSafe($0))'" },
        Form(testDescription: "base64 in lines, indented") { data in
            let text = base64(data)
            return "E'  \(text.prefix(4))\\r\\n\\t\(text.dropFirst(4))\\n'"
        },
        Form(testDescription: "typed text") { "'\(base64($0))'::text" },
        Form(testDescription: "varchar") { "'\(base64($0))'::varchar" },
        Form(testDescription: "hexadecimal as PostgreSQL prints bytes") { "'\\x\(hex($0))'" },
    ]
    private static let binary = Form(testDescription: "bytea") { "'\\x\(hex($0))'::bytea" }
    private static let digits = Form(testDescription: "hexadecimal") { "'\(hex($0).uppercased())'" }

    @Test(
        "in every form of the key identifier and of the receipt, without a cast",
        arguments: texts + [binary, digits], texts + [binary])
    func forms(key: Form, receipt: Form) async throws {
        try await Stores.lend { stores in
            let call = "attestwatch.submit_receipt('\(app)', \(key.sql(Self.keyID)), \(receipt.sql(Self.bytes)))"
            let asked = key.sql(Self.keyID)
            // Said in another form it is the same.
            let again = "'\\x\(Self.hex(Self.keyID))'::bytea, '\(Self.base64(Self.bytes))'"
            let found = try await stores.texts(
                """
                SELECT \(call) UNION ALL SELECT attestwatch.submit_receipt('\(app)', \(again));
                """)
            #expect(found == ["pending", "pending"])
            let stored = try await stores.texts("SELECT encode(key_id || receipt, 'hex') FROM attestwatch.intake")
            #expect(stored == [Self.hex(Self.keyID + Self.bytes)])
            let told = try await stores.texts(
                """
                SELECT state FROM attestwatch.submission(\(asked))
                UNION ALL SELECT level FROM attestwatch.key_level(\(asked))
                """)
            #expect(told == ["pending", "not_on_record"])
        }
    }

    @Test("by name, with all that a back end may say; what is left out is null")
    func named() async throws {
        try await Stores.lend { stores in
            try await stores.execute(
                """
                SELECT attestwatch.submit_receipt(
                    app_id => '\(app)', receipt => 'MIAGCSqG', key_id => '\(Self.base64(Self.keyID))',
                    user_ref => 'u-12', device_ref => 'd-4711', environment => 'development',
                    attested_time => '2026-11-30T12:00:00Z', at => '2026-11-30T13:00:00Z')
                """)
            let row = """
                SELECT concat_ws(' ', app_id, environment, device_ref, user_ref, attested_time AT TIME ZONE 'UTC',
                    submitted_time AT TIME ZONE 'UTC', spread, is_back_fill) FROM attestwatch.intake
                """
            #expect(
                try await stores.texts(row) == [
                    "\(app) development d-4711 u-12 2026-11-30 12:00:00 2026-11-30 13:00:00 f"
                ])
        }
    }

    @Test(
        "text that says no receipt is handed over as it is: a run says what is wrong with it",
        arguments: ["not base64!", "\\x3", "AAAAA", "AAAA", "=", "é"])
    func otherText(text: String) async throws {
        try await Stores.lend { stores in
            let call = "attestwatch.submit_receipt('\(app)', '\(Self.hex(Self.keyID))', '\(text)')"
            let state = try await stores.texts("SELECT \(call)")
            let stored = try await stores.texts("SELECT convert_from(receipt, 'UTF8') FROM attestwatch.intake")
            #expect(state == ["pending"] && stored == [text])
        }
    }

    /// What can never be a submission.
    struct Refusal: CustomTestStringConvertible, Sendable {
        var testDescription: String { "\(values)" }
        let values: String
        let message: String
    }

    private static let expectedAppID = "app_id: expected an App ID such as A1B2C3D4E5.com.example.app, found"
    private static let expectedKeyID =
        "key_id: expected 32 bytes, or text that says them in base64, base64url or hexadecimal, found"
    private static let good = "'\(app)', '\(hex(keyID))'"

    @Test(
        "what can never be one raises 22023 with what was expected and found, and never repeats the receipt",
        arguments: [
            Refusal(values: "null, null, null", message: "app_id: expected an App ID such as "),
            Refusal(
                values: "'com.example.app', '\(hex(keyID))', 'MIAG'",
                message: "\(expectedAppID) another text of 15 bytes"),
            Refusal(
                values: "'A1B2C3D4E5.' || repeat('x', 245), '\(hex(keyID))', 'MIAG'",
                message: "\(expectedAppID) another text of 256 bytes"),
            Refusal(
                values: "'\(app)', 'MIAGCSqG', 'MIAGCSqG'",
                message: "\(expectedKeyID) null or another text"),
            Refusal(
                values: "'\(app)', '\\x00'::bytea, 'MIAGCSqG'",
                message: "\(expectedKeyID) 1 bytes"),
            Refusal(values: "\(good), null::text", message: "receipt: expected 1 to 98304 bytes, found null"),
            Refusal(values: "\(good), ''", message: "receipt: expected 1 to 98304 bytes, found 0"),
            Refusal(
                values: "\(good), repeat('M', 200000)", message: "receipt: expected 1 to 98304 bytes, found 200000"),
            Refusal(
                values: "\(good), convert_to(repeat('M', 98305), 'UTF8')",
                message: "receipt: expected 1 to 98304 bytes, found 98305"),
            Refusal(
                values: "\(good), 'MIAGCSqG', 'sandbox'",
                message: "environment: expected production, development or null, found another text of 7 bytes"),
            Refusal(
                values: "\(good), 'MIAGCSqG', null, ''",
                message: "device_ref: expected 1 to 512 bytes or null, found 0"),
            Refusal(
                values: "\(good), 'MIAGCSqG', null, null, repeat('é', 257)",
                message: "user_ref: expected 1 to 512 bytes or null, found 514"),
            Refusal(
                values: "\(good), 'MIAGCSqG', attested_time => clock_timestamp() + interval '25 hours'",
                message: "attested_time: expected a time since 1970 and no more than a day after now, "),
            Refusal(
                values: "\(good), 'MIAGCSqG', attested_time => '-infinity'",
                message: "attested_time: expected a time since 1970 and no more than a day after now, "),
            Refusal(
                values: "\(good), 'MIAGCSqG', at => 'infinity'",
                message: "at: expected a time from 1970 to 9999, found infinity"),
        ])
    func refusals(row: Refusal) async throws {
        try await Stores.lend { stores in
            let error = await #expect(throws: PostgresError.self) {
                _ = try await stores.texts("SELECT attestwatch.submit_receipt(\(row.values))")
            }
            #expect(error?.sqlState == "22023")
            let message = "\(try #require(error))"
            #expect(message.contains("message: \"\(row.message)"), "\(message)")
            #expect(!message.contains("MIAG"))
            let count = try await stores.number("SELECT count(*) FROM attestwatch.intake")
            #expect(count == 0)
        }
    }

    @Test("as large as the bounds allow")
    func bounds() async throws {
        try await Stores.lend { stores in
            let call = """
                attestwatch.submit_receipt('A1B2C3D4E5.' || repeat('x', 244), '\(Self.hex(Self.keyID))',
                    convert_to(repeat('M', 98304), 'UTF8'), null, repeat('d', 512), repeat('u', 512),
                    clock_timestamp() + interval '23 hours')
                """
            let state = try await stores.texts("SELECT \(call)")
            #expect(state == ["pending"])
        }
    }

    @Test("in the caller's transaction: twice is once, and rolled back it is as if it had never been")
    func transaction() async throws {
        try await Stores.lend { stores in
            let call = "SELECT attestwatch.submit_receipt(\(Self.good), 'MIAGCSqG')"
            let count = "SELECT count(*) FROM attestwatch.intake"
            try await stores.execute("BEGIN; \(call); \(call); ROLLBACK")
            #expect(try await stores.number(count) == 0)
            try await stores.execute("BEGIN; \(call); \(call); COMMIT")
            #expect(try await stores.number(count) == 1)
            // What the back end does wrong elsewhere takes its submission back too.
            await #expect(throws: PostgresError.self) {
                try await stores.execute(
                    "BEGIN; SELECT attestwatch.submit_receipt(\(Self.good), 'MIAGCSqGAA'); SELECT 1 / 0; COMMIT")
            }
            try await stores.execute("ROLLBACK")
            #expect(try await stores.number(count) == 1)
        }
    }

    @Test("a key's level is answered from indexes alone, whatever is known of the tables", arguments: [false, true])
    func indexed(isAnalyzed: Bool) async throws {
        try await Stores.lend { stores in
            try await stores.execute(
                """
                INSERT INTO attestwatch.attested_key (key_id, app_id, environment, public_key, device_ref, added_time)
                SELECT sha256(int8send(n)), '\(app)', 'production', sha256('') || sha256('') || '\\x00',
                    CASE WHEN n % 2 = 0 THEN 'device-' || n / 4 END, now()
                FROM generate_series(1, 5000) AS n;
                INSERT INTO attestwatch.receipt (key_id, receipt_type, creation_time, expiration_time, risk_metric,
                    metric_time, stored_time, digest, attested_certificate_digest, token_digest, signer_serial, bytes)
                SELECT key_id, 'RECEIPT', now(), now() + interval '90 days', 7, now(), now(), key_id, key_id, key_id,
                    '\\x01', '\\x30'
                FROM attestwatch.attested_key;
                INSERT INTO attestwatch.schedule (key_id, due_time, expiration_time, shard, rank)
                SELECT key_id, now(), now() + interval '90 days', 0, 3 FROM attestwatch.attested_key;
                INSERT INTO attestwatch.flag (
                    app_id, environment, subject, level, peak_metric, opened_time, changed_time)
                SELECT DISTINCT app_id, environment, subject, 'review', 7, now(), now() FROM attestwatch.attested_key;
                \(isAnalyzed ? "ANALYZE attestwatch.attested_key, attestwatch.receipt, attestwatch.schedule" : "");
                \(isAnalyzed ? "ANALYZE attestwatch.flag" : "")
                """)
            let asked = """
                SELECT l.level FROM (VALUES (sha256(int8send(4)))) AS k (key_id),
                    attestwatch.key_level(\(isAnalyzed ? "encode(k.key_id, 'base64')" : "k.key_id")) AS l
                """
            // A session of its own, whose counts are those of this transaction alone, with what functions do in it.
            let session = try stores.test.anew()
            try await session.execute("BEGIN")
            let levels = try await session.texts(asked)
            let scans = try await session.texts(
                """
                SELECT relname || CASE WHEN seq_scan = 0 AND idx_scan > 0 THEN '' ELSE ' read whole' END
                FROM pg_stat_xact_user_tables
                WHERE schemaname = 'attestwatch' AND (seq_scan, idx_scan) <> (0, 0)
                ORDER BY relname
                """)
            try await session.execute("COMMIT")
            #expect(levels == ["review"])
            #expect(scans == ["attested_key", "flag", "receipt", "schedule", "speaking_key"])
        }
    }
}
