import Postgres
import TestSupport
import Testing

@Suite("Values go to the server and come back")
struct RoundTripTests {
    @Test("single values of each type")
    func single() async throws {
        try await TestDatabase.empty { test in
            let query = Query(
                name: "echo",
                sql: "SELECT $1::bool, $2::bigint, $3::smallint, $4::integer, $5::text, $6::bytea, $7::timestamptz")
            try await test.database.perform { connection throws(PostgresError) in
                var rows = try connection.run(
                    query,
                    [
                        .bool(true), .int(.min), .int(-2), .int(70_000), .text("é\u{1F600}"), .bytes([]),
                        .time(Timestamp(unixMicroseconds: -1)),
                    ])
                let found = rows.next()
                let flag = try rows.read(Bool.self)
                let (least, narrow, wide) = try (rows.read(Int64.self), rows.read(Int.self), rows.read(Int.self))
                let (text, bytes) = try (rows.read(String.self), rows.read([UInt8].self))
                let time = try rows.read(Timestamp.self)
                #expect(found && flag && least == .min && narrow == -2 && wide == 70_000)
                #expect(text == "é\u{1F600}")
                #expect(bytes == [])
                #expect(time == Timestamp(unixMicroseconds: -1))
                let more = rows.next()
                #expect(!more)
            }
        }
    }

    @Test("a timestamp means the same instant to both sides")
    func timestamp() async throws {
        try await TestDatabase.empty { test in
            let query = Query(name: "epoch", sql: "SELECT extract(epoch FROM $1::timestamptz)::bigint")
            let seconds = try await test.database.perform { connection throws(PostgresError) in
                var rows = try connection.run(query, [.time(Timestamp(unixMicroseconds: 1_796_000_000_000_000))])
                _ = rows.next()
                return try rows.read(Int.self)
            }
            #expect(seconds == 1_796_000_000)
        }
    }

    @Test("arrays unnest into rows, with NULLs and without members")
    func arrays() async throws {
        let query = Query(
            name: "unnest",
            sql: """
                SELECT array_agg(a)::text || array_agg(b)::text || array_agg(c)::text
                    || array_agg(extract(epoch FROM d)::bigint)::text || array_agg(e)::text
                FROM unnest($1::bytea[], $2::bigint[], $3::text[], $4::timestamptz[], $5::bool[]) AS u (a, b, c, d, e)
                """)
        try await TestDatabase.empty { test in
            let (full, none) = try await test.database.perform { connection throws(PostgresError) in
                var full = try connection.run(
                    query,
                    [
                        .bytesArray([[1, 2], nil]), .ints([nil, 7]), .texts(["a", nil]),
                        .times([Timestamp(unixMicroseconds: 5_000_000), nil]), .bools([nil, false]),
                    ])
                var none = try connection.run(
                    query, [.bytesArray([]), .ints([]), .texts([]), .times([]), .bools([])])
                _ = full.next()
                _ = none.next()
                return (try full.read(String.self), try none.readOptional(String.self))
            }
            #expect(full == #"{"\\x0102",NULL}{NULL,7}{a,NULL}{5,NULL}{NULL,f}"#)
            #expect(none == nil)
        }
    }

    @Test("NULL, another type and a column too many are named")
    func unexpectedValues() async throws {
        let query = Query(name: "odd", sql: "SELECT NULL::text AS nothing, 1.5::numeric AS fraction")
        try await TestDatabase.empty { test in
            let found = try await test.database.perform { connection throws(PostgresError) in
                var rows = try connection.run(query)
                _ = rows.next()
                var found: [PostgresError] = []
                do throws(PostgresError) { _ = try rows.read(String.self) } catch { found.append(error) }
                do throws(PostgresError) { _ = try rows.read(Int.self) } catch { found.append(error) }
                do throws(PostgresError) { _ = try rows.read(Int.self) } catch { found.append(error) }
                return found
            }
            let integer = "bigint, integer or smallint"
            #expect(
                found == [
                    .unexpectedValue(query: "odd", column: "nothing", expected: "text", found: "NULL"),
                    .unexpectedValue(query: "odd", column: "fraction", expected: integer, found: "type 1700"),
                    .unexpectedValue(query: "odd", column: "number 3", expected: integer, found: "no column"),
                ])
        }
    }
}
