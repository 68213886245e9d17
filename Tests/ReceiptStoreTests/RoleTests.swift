import Postgres
import ReceiptStore
import TestSupport
import Testing

@Suite("What each role may not do, as a login that has it alone, and what it may", .serialized)
struct RoleTests {
    /// Whatever a login has no business with, whichever role it has.
    private static let making = [
        "CREATE TABLE attestwatch.mine (id bigint)",
        "CREATE VIEW attestwatch.mine AS SELECT 1",
        "CREATE FUNCTION attestwatch.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE INDEX ON attestwatch.schedule (shard)",
        "CREATE TABLE attestwatch.mine PARTITION OF attestwatch.metric_reading FOR VALUES FROM ('2040-01-01') TO "
            + "('2040-02-01')",
        "ALTER TABLE attestwatch.receipt ADD COLUMN mine bigint",
        "ALTER TABLE attestwatch.receipt DISABLE TRIGGER ALL",
        "ALTER TABLE attestwatch.receipt OWNER TO CURRENT_USER",
        "ALTER TABLE attestwatch.metric_reading DETACH PARTITION attestwatch.metric_reading_default",
        "ALTER FUNCTION attestwatch.key_level(bytea, timestamptz) SECURITY INVOKER",
        "ALTER FUNCTION attestwatch.key_level(bytea, timestamptz) SET search_path = public",
        "CREATE OR REPLACE VIEW attestwatch.flagged_device AS SELECT 1",
        "CREATE TRIGGER mine AFTER INSERT ON attestwatch.receipt EXECUTE FUNCTION tsvector_update_trigger()",
        "CREATE RULE mine AS ON INSERT TO attestwatch.receipt DO ALSO NOTHING",
        "CREATE POLICY mine ON attestwatch.receipt",
        "DROP TABLE attestwatch.kept_answer",
        "DROP VIEW attestwatch.flagged_device",
        "DROP FUNCTION attestwatch.key_level(bytea, timestamptz)",
        "DROP SCHEMA attestwatch CASCADE",
        "ALTER SCHEMA attestwatch RENAME TO mine",
        "CREATE SCHEMA mine",
        "CREATE TABLE public.mine (id bigint)",
        "CREATE ROLE mine",
        "SET ROLE postgres",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "COPY (SELECT 1) TO '/tmp/mine'",
        "SELECT pg_read_file('/etc/hostname')",
        "SELECT lo_import('/etc/hostname')",
        "REINDEX TABLE attestwatch.receipt",
    ]

    private static let levels = [
        "SELECT attestwatch.key_level('\\x00')", "SELECT attestwatch.key_level(sha256('a'), now())",
        "SELECT attestwatch.key_level('', now())",
        "SELECT attestwatch.key_id_of(''), attestwatch.receipt_of('')",
    ]
    private static let submissions = [
        "SELECT attestwatch.submission(sha256('a'))", "SELECT attestwatch.submission('')",
        "SELECT attestwatch.submit_receipt('A1B2C3D4E5.com.example.app', sha256('a'), '\\x30'::bytea)",
        "SELECT attestwatch.submit_receipt('A1B2C3D4E5.com.example.app', sha256('a'), 'MIAG'::text)",
        "SELECT attestwatch.submit_receipt('A1B2C3D4E5.com.example.app', repeat('A', 43), '\\x30'::bytea)",
        "SELECT attestwatch.submit_receipt('A1B2C3D4E5.com.example.app', repeat('A', 43), 'MIAG'::text)",
    ]
    private static let backEndsFunctions = levels + submissions
    /// What functions call that others may call.
    private static let innerFunctions = ["SELECT attestwatch.subject_standing('', now())"]
    private static let analystsFunctions = ["SELECT attestwatch.review_flag(1, 1, 'unclear')"]
    private static let workersFunctions = [
        "SELECT attestwatch.make_partitions()", "SELECT attestwatch.make_partitions('2040-01-01')",
        "SELECT attestwatch.drop_partitions('2020-01-01')", "SELECT attestwatch.choose_speaking_keys('{device}')",
        "SELECT attestwatch.submission_fault('', '', 1, '', '', '', now(), now())",
    ]
    private static let lists = [
        "SELECT count(*) FROM attestwatch.flagged_devices()",
        "SELECT count(*) FROM attestwatch.flagged_devices('2026-12-01T00:00:00Z')",
    ]
    private static let view = [
        "SELECT * FROM attestwatch.flagged_device", "COPY (SELECT * FROM attestwatch.flagged_device) TO STDOUT",
    ]

    /// Every way into every table, partitions among them.
    private func waysIn(_ test: TestDatabase, _ verbs: (String, String) -> [String]) async throws -> [String] {
        try await test.texts(
            """
            SELECT c.oid::regclass::text || ' ' || (
                SELECT attname FROM pg_attribute a WHERE a.attrelid = c.oid AND attnum > 0 AND attidentity = ''
                ORDER BY attnum LIMIT 1)
            FROM pg_class c
            WHERE c.relnamespace = 'attestwatch'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1
            """
        ).flatMap { line in
            let words = line.split(separator: " ").map(String.init)
            return verbs(words[0], words[1])
        }
    }

    private func reading(_ table: String, _ column: String) -> [String] {
        [
            "SELECT * FROM \(table)", "SELECT FROM \(table)", "SELECT \(column) FROM \(table) LIMIT 0",
            "COPY \(table) TO STDOUT", "COPY (SELECT \(column) FROM \(table)) TO STDOUT",
            "SELECT \(column) FROM \(table) FOR SHARE", "LOCK TABLE \(table) IN ACCESS SHARE MODE",
        ]
    }

    private func changing(_ table: String, _ column: String) -> [String] {
        [
            "INSERT INTO \(table) DEFAULT VALUES",
            "INSERT INTO \(table) (\(column)) VALUES (NULL) ON CONFLICT DO NOTHING",
            "UPDATE \(table) SET \(column) = NULL", "DELETE FROM \(table)", "COPY \(table) FROM STDIN",
        ]
    }

    private func emptying(_ table: String, _ column: String) -> [String] { ["TRUNCATE \(table) CASCADE"] }

    private func sequences(_ test: TestDatabase) async throws -> [String] {
        try await test.texts(
            """
            SELECT verb || quote_literal(oid::regclass::text) || rest
            FROM pg_class
            CROSS JOIN (VALUES ('SELECT nextval(', ')'), ('SELECT setval(', ', 1)')) AS way (verb, rest)
            WHERE relnamespace = 'attestwatch'::regnamespace AND relkind = 'S'
            """)
    }

    private func expectForbidden(
        _ login: TestDatabase, _ statements: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let others = try await login.statements(statements, notEndingWith: "42501")
        #expect(others == [], sourceLocation: sourceLocation)
    }

    private func expectAllowed(
        _ login: TestDatabase, _ statements: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let others = try await login.statements(statements, notEndingWith: nil)
        #expect(others == [], sourceLocation: sourceLocation)
    }

    @Test("a back end: no table, no view, no function but its own")
    func backEnd() async throws {
        try await TestDatabase.migrated { test in
            let forbidden =
                try await waysIn(test) { reading($0, $1) + changing($0, $1) + emptying($0, $1) }
                + sequences(test) + Self.making + Self.innerFunctions + Self.analystsFunctions + Self.lists + Self.view
                + Self.workersFunctions
            #expect(forbidden.count > 400)
            try await test.login(.backend) { backEnd in
                try await expectForbidden(backEnd, forbidden)
                try await expectAllowed(backEnd, Self.backEndsFunctions)
            }
        }
    }

    @Test("an analyst: the list and reviews, and never a receipt")
    func analyst() async throws {
        try await TestDatabase.migrated { test in
            let forbidden =
                try await waysIn(test) { reading($0, $1) + changing($0, $1) + emptying($0, $1) }
                + sequences(test) + Self.making + Self.innerFunctions + Self.backEndsFunctions
                + Self.workersFunctions
            #expect(forbidden.count > 400)
            try await test.login(.analyst) { analyst in
                try await expectForbidden(analyst, forbidden)
                try await expectAllowed(analyst, Self.lists + Self.view.dropLast())
                // It may review, and there is nothing to review.
                let others = try await analyst.statements(Self.analystsFunctions, notEndingWith: "P0002")
                #expect(others == [])
            }
        }
    }

    @Test("a worker: rows and nothing else, none of them in the ledger of migrations")
    func worker() async throws {
        try await TestDatabase.migrated { test in
            let forbidden =
                try await waysIn(test) { emptying($0, $1) } + sequences(test) + Self.making + Self.innerFunctions
                + Self.analystsFunctions + Self.submissions + changing("attestwatch.schema_migration", "name")
                + Self.view
                + ["DELETE FROM attestwatch.shard_lease", "INSERT INTO attestwatch.shard_lease DEFAULT VALUES"]
            try await test.login(.worker) { worker in
                try await expectForbidden(worker, forbidden)
                let tables = try await waysIn(test) { table, column in
                    if table.contains("metric_reading_") { return [] }
                    let isFixed = ["attestwatch.schema_migration", "attestwatch.shard_lease"].contains(table)
                    return ["SELECT \(column) FROM \(table)"] + (isFixed ? [] : ["DELETE FROM \(table)"])
                }
                #expect(tables.count > 20)
                try await expectAllowed(worker, tables + Self.levels + Self.lists + Self.workersFunctions)
            }
        }
    }

    @Test("a login without a role: nothing at all, not even the schema")
    func nobody() async throws {
        try await TestDatabase.migrated { test in
            let forbidden =
                try await waysIn(test) { reading($0, $1) + changing($0, $1) + emptying($0, $1) } + Self.making
                + Self.innerFunctions + Self.workersFunctions
                + Self.analystsFunctions + Self.backEndsFunctions + Self.lists + Self.view
                + ["SELECT to_regclass('attestwatch.receipt')"]
            try await test.login { nobody in
                try await expectForbidden(nobody, forbidden)
            }
        }
    }
}
