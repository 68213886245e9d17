import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Tables partitioned by key", .ownThreads)
struct PartitioningTests {
    private static let grown = ["attested_key", "receipt", "schedule"]

    private func partition(_ database: TestDatabase, into count: Int) throws -> ToolResult {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "ops/sql/partition-by-key.sql").path
        return try runTool(
            "psql",
            [database.conninfo, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "partitions=\(count)", "-f", script])
    }

    /// Every row of the tables that are partitioned, and of the one that refers to them.
    private func rows(_ database: TestDatabase) async throws -> [String] {
        var rows: [String] = []
        for table in Self.grown + ["kept_answer"] {
            rows += try await database.texts("SELECT t::text FROM attestwatch.\(table) t ORDER BY t::text")
        }
        return rows
    }

    /// Rules, indexes, columns, owners and rights of all that is not a partition.
    private func definitions(_ database: TestDatabase) async throws -> [String] {
        try await database.texts(
            """
            SELECT line FROM (
                SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(c.oid)
                FROM pg_constraint c
                JOIN pg_class t ON t.oid = c.conrelid
                WHERE connamespace = 'attestwatch'::regnamespace AND conparentid = 0 AND NOT t.relispartition
                UNION ALL
                SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
                FROM pg_index i
                JOIN pg_class t ON t.oid = i.indrelid
                WHERE t.relnamespace = 'attestwatch'::regnamespace AND NOT t.relispartition
                UNION ALL
                SELECT concat_ws(' ', t.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
                    a.attnotnull, a.attstorage, a.attgenerated, a.attcollation::regcollation,
                    pg_get_expr(d.adbin, d.adrelid))
                FROM pg_class t
                JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
                LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
                WHERE t.relnamespace = 'attestwatch'::regnamespace AND t.relkind IN ('r', 'p', 'v')
                    AND NOT t.relispartition
                UNION ALL
                SELECT concat_ws(' ', t.relname, t.relowner::regrole, acl.grantee::regrole, acl.privilege_type)
                FROM pg_class t
                LEFT JOIN LATERAL aclexplode(t.relacl) AS acl ON true
                WHERE t.relnamespace = 'attestwatch'::regnamespace AND t.relkind IN ('r', 'p', 'v')
                    AND NOT t.relispartition
            ) AS one (line)
            ORDER BY line COLLATE "C"
            """)
    }

    private func levels(_ database: TestDatabase) async throws -> [String] {
        try await database.texts(
            """
            SELECT encode(k.key_id, 'hex') || l::text
            FROM attestwatch.attested_key k
            CROSS JOIN LATERAL attestwatch.key_level(k.key_id, '2026-12-10T00:00:00Z') AS l
            ORDER BY 1
            """)
    }

    @Test("a filled database goes on as if nothing had been: every row, rule, index and right, and a run in its midst")
    func filled() async throws {
        try await TestDatabase.migrated { database in
            try await database.login(.worker) { worker in
                let fleet = try await Fleet(database, keys: 400)
                let machine = try Machine("a", fleet.simulator, worker)
                let some = try await machine.start("refresh", "--limit", "150").ending()
                #expect(some.code == 0, "\(some.errors)")
                let (rows, definitions) = (try await rows(database), try await definitions(database))
                let levels = try await levels(database)
                let result = try partition(database, into: 8)
                try #require(result.status == 0, "\(result.errors)")
                #expect(try await self.rows(database) == rows)
                #expect(try await self.definitions(database) == definitions)
                #expect(try await self.levels(database) == levels)
                for table in Self.grown {
                    let used = "SELECT count(DISTINCT tableoid) FROM attestwatch.\(table)"
                    #expect(try await database.number(used) == 8)
                }
                let settings = """
                    SELECT DISTINCT reloptions::text FROM pg_class WHERE relname ~ '^schedule_[0-9]+$' AND relkind = 'r'
                    """
                #expect(try await database.texts(settings).first?.contains("fillfactor=80") == true)

                let rest = try await machine.start("refresh", "--json").ending()
                #expect(rest.code == 0, "\(rest.errors)")
                #expect(try rest.count("sent") == 250)
                try fleet.expectSent(1)
                try await fleet.comeDueAgain(1)
                let next = try await machine.start("refresh", "--json").ending()
                #expect(try next.count("sent") == 400, "\(next.errors)")
                try await fleet.expectNothingLost(machine)
                #expect(try await machine.start("flags").ending().output.contains("\nhigh "))
                #expect(try await machine.start("status").ending().code == 0)
                let owner = try Machine("owner", fleet.simulator, database)
                let migrate = try await owner.start("migrate").ending()
                #expect(migrate.code == 0 && migrate.output.hasPrefix("nothing to do, "), "\(migrate.errors)")
                #expect(try await self.definitions(database) == definitions)
                let again = try partition(database, into: 8)
                #expect(again.status == 3 && again.errors.contains("expected attestwatch.attested_key to be a table"))
            }
        }
    }

    @Test("a fresh database takes keys in, refreshes them, and erases one with all that belongs to it")
    func fresh() async throws {
        try await TestDatabase.migrated { database in
            let result = try partition(database, into: 3)
            try #require(result.status == 0, "\(result.errors)")
            let fleet = try await Fleet(database, keys: 120)
            let machine = try Machine("a", fleet.simulator, database)
            let ending = try await machine.start("refresh", "--json").ending()
            #expect(try ending.count("sent") == 120, "\(ending.errors)")
            try await fleet.expectNothingLost(machine)
            try await database.execute(
                """
                DELETE FROM attestwatch.attested_key
                WHERE key_id = (SELECT key_id FROM attestwatch.receipt ORDER BY key_id LIMIT 1)
                """)
            for table in Self.grown {
                #expect(try await database.number("SELECT count(*) FROM attestwatch.\(table)") == 119)
            }
        }
    }

    @Test("something in the way is told of, and everything stays as it was")
    func refused() async throws {
        try await TestDatabase.migrated { database in
            try await database.execute("CREATE UNIQUE INDEX one_user ON attestwatch.attested_key (user_ref)")
            let definitions = try await definitions(database)
            let result = try partition(database, into: 8)
            #expect(result.status == 3)
            #expect(
                result.errors.contains(
                    "expected every unique index to contain key_id, found attestwatch.one_user"))
            #expect(try await self.definitions(database) == definitions)
            let many = try partition(database, into: 1)
            #expect(many.status == 3 && many.errors.contains("expected 2 to 1024 partitions, found 1"))
        }
    }
}
