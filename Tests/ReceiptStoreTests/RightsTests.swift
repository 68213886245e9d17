import Postgres
import ReceiptStore
import TestSupport
import Testing

// In the suite of the schema: whoever adds to that has to decide, here and in migrations/grants.sql, who may use it.
extension SchemaTests {
    private static let rows = "worker DELETE INSERT SELECT UPDATE"
    private static let time = "timestamp with time zone"

    /// Every schema, table, view, sequence and function but partitions, with who may do what besides the owner.
    private static let rights: Set<String> = [
        "schema: analyst USAGE, backend USAGE, worker USAGE",
        "table alert: \(rows)",
        "table attested_key: \(rows)",
        "table data_server: \(rows)",
        "table flag: \(rows)",
        "table flag_event: \(rows)",
        "table intake: \(rows)",
        "table intake_rejected: \(rows)",
        "table kept_answer: \(rows)",
        "table metric_reading: \(rows)",
        "table receipt: \(rows)",
        "table refresh_run: \(rows)",
        "table schedule: \(rows)",
        "table schema_migration: worker SELECT",
        "table shard_lease: worker SELECT UPDATE",
        "table speaking_key: \(rows)",
        "table worker: \(rows)",
        "view flagged_device: analyst SELECT",
        "sequence alert_alert_id_seq: nobody",
        "sequence flag_event_event_id_seq: nobody",
        "sequence flag_flag_id_seq: nobody",
        "sequence intake_intake_id_seq: nobody",
        "sequence kept_answer_answer_id_seq: nobody",
        "sequence refresh_run_run_id_seq: nobody",
        "function choose_speaking_keys(text[]): worker EXECUTE",
        "function drop_partitions(\(time),boolean): worker EXECUTE",
        "function flagged_devices(\(time)): analyst EXECUTE, worker EXECUTE",
        "function key_id_of(text): backend EXECUTE, worker EXECUTE",
        "function key_level(bytea,\(time)): backend EXECUTE, worker EXECUTE",
        "function key_level(text,\(time)): backend EXECUTE, worker EXECUTE",
        "function make_partitions(\(time)): worker EXECUTE",
        "function receipt_of(text): backend EXECUTE, worker EXECUTE",
        "function review_flag(bigint,integer,text,text): analyst EXECUTE",
        "function subject_standing(text,\(time)): nobody",
        "function submission(bytea): backend EXECUTE",
        "function submission(text): backend EXECUTE",
        "function submission_fault(text,bytea,integer,text,text,text,\(time),\(time)): worker EXECUTE",
        "function submit_receipt(text,bytea,bytea,text,text,text,\(time),\(time)): backend EXECUTE",
        "function submit_receipt(text,bytea,text,text,text,text,\(time),\(time)): backend EXECUTE",
        "function submit_receipt(text,text,bytea,text,text,text,\(time),\(time)): backend EXECUTE",
        "function submit_receipt(text,text,text,text,text,text,\(time),\(time)): backend EXECUTE",
    ]

    private static let rightsSQL = """
        WITH object AS (
            SELECT 'schema' AS name, nspacl AS acl, acldefault('n', nspowner) AS standard, nspowner AS owner
            FROM pg_namespace
            WHERE nspname = 'attestwatch'
            UNION ALL
            SELECT CASE relkind WHEN 'v' THEN 'view ' WHEN 'S' THEN 'sequence ' ELSE 'table ' END || relname, relacl,
                acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner), relowner
            FROM pg_class
            WHERE relnamespace = 'attestwatch'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
                AND NOT relispartition
            UNION ALL
            SELECT 'function ' || substr(oid::regprocedure::text, length('attestwatch.') + 1), proacl,
                acldefault('f', proowner), proowner
            FROM pg_proc
            WHERE pronamespace = 'attestwatch'::regnamespace
        )
        SELECT object.name || ': ' || coalesce((
            SELECT string_agg(one.role || ' ' || one.rights, ', ' ORDER BY one.role)
            FROM (
                SELECT CASE acl.grantee WHEN 0 THEN 'PUBLIC'
                        ELSE regexp_replace(acl.grantee::regrole::text, '^attestwatch_', '') END AS role,
                    string_agg(acl.privilege_type, ' ' ORDER BY acl.privilege_type) AS rights
                FROM aclexplode(coalesce(object.acl, object.standard)) AS acl
                WHERE acl.grantee <> object.owner
                GROUP BY 1
            ) AS one), 'nobody')
        FROM object
        """

    @Test("who may do what is as the table has it: nothing is granted by default, and nothing was forgotten")
    func rights() async throws {
        try await Stores.lend { stores in
            let found = Set(try await stores.texts(Self.rightsSQL))
            #expect(found.subtracting(Self.rights).sorted() == [], "found, and not in the table")
            #expect(Self.rights.subtracting(found).sorted() == [], "in the table, and not found")
            let partitions = try await stores.texts(
                """
                SELECT relname::text FROM pg_class WHERE relnamespace = 'attestwatch'::regnamespace AND relispartition
                    AND relkind IN ('r', 'p') AND EXISTS (
                        SELECT FROM aclexplode(relacl) AS acl WHERE acl.grantee <> relowner)
                """)
            #expect(partitions == [])
        }
    }

    // A function that is not SECURITY DEFINER shows nothing that its caller may not read.
    @Test("no function or view that a back end or an analyst may use gives bytes but for key identifiers")
    func noReceiptComesOut() async throws {
        try await Stores.lend { stores in
            let columns = try await stores.texts(
                """
                SELECT DISTINCT coalesce(one.column_name, p.proname || '()')
                FROM pg_proc p
                CROSS JOIN LATERAL (
                    SELECT a.name AS column_name, a.type
                    FROM unnest(p.proargnames, p.proallargtypes, p.proargmodes) AS a (name, type, mode)
                    WHERE a.mode IN ('o', 'b', 't')
                    UNION ALL
                    SELECT NULL, p.prorettype
                ) AS one
                WHERE p.pronamespace = 'attestwatch'::regnamespace AND one.type = 'bytea'::regtype AND p.prosecdef
                    AND (has_function_privilege('attestwatch_backend', p.oid, 'EXECUTE')
                        OR has_function_privilege('attestwatch_analyst', p.oid, 'EXECUTE'))
                UNION
                SELECT a.attname
                FROM pg_attribute a
                JOIN pg_class c ON c.oid = a.attrelid
                WHERE c.relnamespace = 'attestwatch'::regnamespace AND a.atttypid = 'bytea'::regtype
                    AND (has_table_privilege('attestwatch_backend', c.oid, 'SELECT')
                        OR has_table_privilege('attestwatch_analyst', c.oid, 'SELECT'))
                """)
            #expect(columns == ["key_id"])
        }
    }

    @Test("the columns of each view keep their names, types and order, and each says what it means")
    func viewColumns() async throws {
        try await Stores.lend { stores in
            let columns = try await stores.texts(
                """
                SELECT concat_ws(' ', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
                    CASE WHEN col_description(c.oid, a.attnum) IS NULL THEN 'WITHOUT COMMENT' END)
                FROM pg_class c
                JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
                WHERE c.relnamespace = 'attestwatch'::regnamespace AND c.relkind = 'v'
                ORDER BY c.relname, a.attnum
                """)
            let time = "timestamp with time zone"
            #expect(
                columns
                    == [
                        "flag_id bigint", "app_id text", "environment text", "device_ref text", "key_id bytea",
                        "user_ref text", "level text", "opened_time \(time)", "changed_time \(time)",
                        "risk_metric integer", "metric_time \(time)", "peak_metric integer", "key_count bigint",
                        "freshness text", "version integer", "reviewed_time \(time)", "reviewed_by text",
                        "review_verdict text", "review_note text",
                    ].map { "flagged_device.\($0)" })
            let silent = try await stores.texts(
                """
                SELECT relname::text FROM pg_class
                WHERE relnamespace = 'attestwatch'::regnamespace AND relkind = 'v'
                    AND obj_description(oid, 'pg_class') IS NULL
                """)
            #expect(silent == [])
            let function = try await stores.texts(
                """
                SELECT array_to_string(proargnames[2:], ' ') FROM pg_proc
                WHERE oid = 'attestwatch.flagged_devices(timestamptz)'::regprocedure
                """)
            #expect(function == [columns.map { $0.split(separator: " ")[0].dropFirst(15) }.joined(separator: " ")])
        }
    }

    @Test("what an earlier version granted to the roles goes when rights are given again, and others' rights stay")
    func rightsAgain() async throws {
        try await TestDatabase.migrated { test in
            try await test.login { other in
                let name = try other.userName
                try await test.execute(
                    """
                    GRANT SELECT ON attestwatch.receipt TO attestwatch_analyst;
                    GRANT ALL ON SCHEMA attestwatch TO attestwatch_backend;
                    GRANT USAGE ON SCHEMA attestwatch TO \(name);
                    GRANT SELECT ON attestwatch.alert TO PUBLIC, \(name)
                    """)
                let migrator = Migrator(
                    database: test.database, files: TestDatabase.files, access: TestDatabase.access)
                #expect(try await migrator.migrate().missingRoles == [])
                let found = Set(try await test.texts(Self.rightsSQL))
                #expect(
                    found.subtracting(Self.rights).sorted() == [
                        "schema: analyst USAGE, backend USAGE, \(name.dropFirst(12)) USAGE, worker USAGE",
                        "table alert: \(name.dropFirst(12)) SELECT, \(Self.rows)",
                    ])
            }
        }
    }
}
