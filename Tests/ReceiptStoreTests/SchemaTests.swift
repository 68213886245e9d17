import Foundation
import Postgres
import ReceiptStore
import Testing

@Suite("The schema")
struct SchemaTests {
    @Test("every query can be prepared on the migrated schema")
    func prepares() async throws {
        try await Stores.lend { stores in
            let failures = try await stores.test.database.perform { connection throws(PostgresError) in
                var failures: [PostgresError] = []
                for query in Query.all {
                    do throws(PostgresError) { try connection.prepare(query) } catch { failures.append(error) }
                }
                return failures
            }
            #expect(failures == [])
        }
    }

    @Test("no query is left out of the list that is prepared")
    func complete() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/ReceiptStore")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var names: Set<Substring> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: /name: "([a-z_]+)",? *\n? *sql:/).map(\.1))
        }
        // Scripts of several statements cannot be prepared; the tests of migrations and of batches run them.
        names.subtract(["create_migration_ledger", "plan_for_batch"])
        #expect(names == Set(Query.all.map { Substring($0.name) }))
    }

    @Test("nobody but who is granted it may execute a function, and each definer's function has a fixed search_path")
    func functionRights() async throws {
        try await Stores.lend { stores in
            let functions = "FROM pg_proc WHERE pronamespace = 'attestwatch'::regnamespace"
            #expect(try await stores.number("SELECT count(*) \(functions)") >= 3)
            let open = try await stores.texts(
                "SELECT oid::regprocedure::text \(functions) AND has_function_privilege('public', oid, 'EXECUTE')")
            #expect(open == [])
            let loose = try await stores.texts(
                """
                SELECT oid::regprocedure::text \(functions) AND prosecdef
                AND NOT coalesce(proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], false)
                """)
            #expect(loose == [])
        }
    }

    @Test("an open function would be found")
    func openFunctionIsFound() async throws {
        try await Stores.lend { stores in
            try await stores.execute("CREATE FUNCTION attestwatch.open() RETURNS int LANGUAGE sql AS 'SELECT 1'")
            let open = try await stores.texts(
                """
                SELECT proname::text FROM pg_proc WHERE pronamespace = 'attestwatch'::regnamespace
                AND has_function_privilege('public', oid, 'EXECUTE')
                """)
            #expect(open == ["open"])
        }
    }

    @Test("every constraint has a name of its own choosing, and receipts are stored uncompressed outside of the row")
    func names() async throws {
        try await Stores.lend { stores in
            let storage = try await stores.texts(
                """
                SELECT attname::text || ' ' || attstorage::text FROM pg_attribute
                WHERE attrelid = 'attestwatch.receipt'::regclass AND attname IN ('bytes', 'replaced_bytes')
                ORDER BY attname
                """)
            #expect(storage == ["bytes e", "replaced_bytes e"])
            let automatic = try await stores.texts(
                """
                SELECT conname::text FROM pg_constraint
                WHERE connamespace = 'attestwatch'::regnamespace AND contype = 'c' AND conname ~ '_check[0-9]*$'
                """)
            #expect(automatic == [])
        }
    }
}
