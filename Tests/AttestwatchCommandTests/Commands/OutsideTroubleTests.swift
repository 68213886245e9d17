import Foundation
import TestSupport
import Testing

@Suite("What refresh says when the machine or the network is in trouble")
struct OutsideTroubleTests {
    /// Something around the program that is wrong, and what the program makes of it.
    struct Trouble: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var scenario: String?
        var arrange: @Sendable (Stage) throws -> Void = { _ in }
        var words: [String] = []
        /// A run that waits for a database needs an end.
        var bounds: [String] = []
        var environment: [String: String] = [:]
        let code: Int32
        let message: String
    }

    private static let lost = "nothing is lost, the receipts are due again later; "

    private static func unavailable(_ word: String, _ question: String) -> String {
        "attestwatch: error: the data server for production answered nothing of use: \(word)\nhint: \(lost)\(question)"
    }

    private static let troubles = [
        Trouble(
            testDescription: "descriptors are short", words: ["prlimit", "--nofile=63:63"], code: 78,
            message: "attestwatch: error: expected a limit of at least 64 open files, found 63\nhint: raise it: "),
        Trouble(
            // A label has 63 octets at most (RFC 1035, section 2.3.4), so nobody is asked for this one.
            testDescription: "the data server's name has no address",
            arrange: { stage in
                try stage.ask("https://\(String(repeating: "a", count: 64)).invalid/v1/attestationData")
            },
            environment: ["no_proxy": "*", "NO_PROXY": "*"], code: 69,
            message: unavailable("name_resolution", "its name has no address")),
        Trouble(
            testDescription: "the data server's certificate does not verify", scenario: "{}",
            arrange: { stage in
                try stage.ask(trusting: stage.attestwatch.folder.appending(path: "anchor.pem").path)
            },
            code: 69, message: unavailable("tls", "its certificate does not verify")),
        Trouble(
            testDescription: "a portal answers with a page and 200", scenario: #"{"faults": [{"body": "html"}]}"#,
            code: 69, message: unavailable("not_base64", "is the URL that of the data server, with no login page")),
        Trouble(
            testDescription: "nobody listens where the proxy should be",
            environment: ["no_proxy": "", "NO_PROXY": "", "https_proxy": "http://127.0.0.2:9"],
            code: 69, message: unavailable("proxy", "is the proxy up that https_proxy names")),
        Trouble(
            testDescription: "nobody listens where the data server should be", code: 69,
            message: unavailable("connection", "is the network up")),
        Trouble(
            testDescription: "there is no database of that name",
            arrange: { stage in
                let settings = try String(contentsOfFile: stage.configuration, encoding: .utf8)
                let conninfo = settings.replacing(/dbname=attestwatch_test_\w+/, with: "dbname=nobodys")
                try stage.attestwatch.file("a.json5", conninfo)
            },
            bounds: ["--max-duration", "4s"], code: 75, message: "FATAL:  database \"nobodys\" does not exist\nhint: "),
    ]

    @Test(
        "each has its exit code and a message with what to look at; nobody is charged, and the receipts stay",
        arguments: troubles)
    func outside(trouble: Trouble) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(
                test, devices: 5, scenario: trouble.scenario, hasServer: trouble.scenario != nil)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            let before = try await Standing.read(test)
            try trouble.arrange(stage)
            let command = try StartedCommand(
                stage, ["refresh"] + trouble.bounds, under: trouble.words, environment: trouble.environment)
            let ending = try command.ending()
            #expect(ending.status == trouble.code, "\(ending.errors)")
            #expect(ending.errors.contains(trouble.message), "\(ending.errors)")
            let after = try await Standing.read(test)
            #expect(after == before)
            #expect(after.attempts == 0 && after.ended == 0)
        }
    }
}
