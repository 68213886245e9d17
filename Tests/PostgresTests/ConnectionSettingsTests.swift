import Postgres
import Testing

@Suite("Connection strings")
struct ConnectionSettingsTests {
    @Test("a string and a URI say the same")
    func forms() throws {
        let text = "host=db.example port=6000 dbname=receipts user=ada sslmode=verify-full"
        let settings = try ConnectionSettings.parse(text)
        #expect(
            try settings
                == ConnectionSettings.parse("postgresql://ada@db.example:6000/receipts?sslmode=verify-full"))
        #expect(settings.host == "db.example")
        #expect(settings.port == "6000")
        #expect(settings.databaseName == "receipts")
        #expect(settings.tlsMode == "verify-full")
        #expect(settings.secrets.isEmpty)
    }

    @Test(
        "what libpq marks as secret is seen in a string and in a URI",
        arguments: [
            ("password=x", ["password"]), ("postgresql://ada:x@db.example/receipts", ["password"]),
            ("sslpassword=x", ["sslpassword"]), ("postgresql://db.example/receipts?sslpassword=x", ["sslpassword"]),
            ("sslpassword=x password=y", ["password", "sslpassword"]), ("passfile=/x sslkey=/y", []),
        ])
    func secrets(conninfo: String, expected: [String]) throws {
        #expect(try ConnectionSettings.parse(conninfo).secrets == expected)
    }

    @Test(
        "which hosts are this machine",
        arguments: [
            ("host=/run/postgresql", true), ("host=localhost", true), ("host=127.0.0.1", true), ("host=::1", true),
            ("host=@abstract", true), ("host=localhost,db.example", false), ("host=db.example", false),
            ("host=127.0.0.1.example", false), ("host=localhost hostaddr=192.0.2.1", false), ("service=main", false),
        ])
    func local(conninfo: String, expected: Bool) throws {
        #expect(try ConnectionSettings.parse(conninfo).isLocal == expected)
    }

    @Test("a broken string is refused, and its quoted parts stay out of the message")
    func broken() throws {
        let error = #expect(throws: PostgresError.self) {
            try ConnectionSettings.parse("postgresql://ada:secret%zz@db.example/x")
        }
        guard case .invalidConnectionString(let message) = error else {
            Issue.record("found \(String(describing: error))")
            return
        }
        #expect(!message.contains("secret"))
        #expect(message.contains("…"))
    }
}
