import AttestwatchCommand
import Foundation
import TestServers
import TestSupport
import Testing

@Suite("What doctor finds")
struct DoctorFindingTests {
    /// Something that is wrong, and the line that says so.
    struct Finding: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var scenario: String?
        var hasServer = true
        var arrange: @Sendable (Stage, TestDatabase) async throws -> Void = { _, _ in }
        var words: [String] = []
        var environment: [String: String] = [:]
        let check: String
        var state = "failed"
        let message: String
        var hint = ""
        let code: Int32
    }

    private static let key = "signing key SIMULATED1 of A1B2C3D4E5"
    private static let server = "data server production"
    private static let noProxy = ["no_proxy": "*", "NO_PROXY": "*"]

    private static func mode(_ mode: Int, of name: String, in stage: Stage) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(stage.folder)/\(name)")
    }

    /// Gives the simulator's signing key a file of this text.
    private static func giveKey(_ text: String, mode: Int = 0o600, file: String = "AuthKey.p8", to stage: Stage) throws
    {
        try stage.attestwatch.file(file, text, mode: mode)
        try stage.edit { $0.replace(/\ file: "[^"]*"/, with: " file: \"\(file)\"") }
    }

    private static let machine = [
        Finding(
            testDescription: "few descriptors", words: ["prlimit", "--nofile=63:63"], check: "open files",
            message: "expected a limit of at least 64 open files, found 63", hint: "ulimit -n", code: 78),
        Finding(
            testDescription: "no state folder is set", environment: ["STATE_DIRECTORY": ""], check: "state folder",
            state: "warning", message: "no state_directory is set", hint: "mode 0700", code: 0),
        Finding(
            testDescription: "a state folder not made yet",
            arrange: { stage, _ in try FileManager.default.removeItem(atPath: "\(stage.folder)/state") },
            check: "state folder", state: "warning", message: "expected a folder, found none at ",
            hint: "the first refresh makes it", code: 0),
        Finding(
            testDescription: "a state folder that cannot be made", environment: ["STATE_DIRECTORY": "/nowhere/at/all"],
            check: "state folder", message: "expected a folder, found none, and /nowhere/at cannot be written to",
            hint: "mode 0700", code: 73),
        Finding(
            testDescription: "a state folder that others can read",
            arrange: { stage, _ in try mode(0o755, of: "state", in: stage) }, check: "state folder",
            message: "expected mode 0700, found 0755", hint: "mode 0700", code: 73),
        Finding(
            testDescription: "a state folder in memory",
            arrange: { stage, _ in
                try FileManager.default.removeItem(atPath: "\(stage.folder)/state")
                let folder = "/dev/shm/\(UUID().uuidString)"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                stage.attestwatch.environment["STATE_DIRECTORY"] = folder
            },
            check: "state folder", state: "warning", message: "on tmpfs, which is memory", hint: "on a disk", code: 0),
        Finding(
            testDescription: "a journal that was left",
            arrange: { stage, _ in try stage.attestwatch.file("state/a-1.journal", "") }, check: "journals",
            state: "warning", message: "expected none, found 1", hint: "the next refresh", code: 0),
        Finding(
            testDescription: "a journal that was set aside",
            arrange: { stage, _ in try stage.attestwatch.file("state/a-1.unverified", "") }, check: "journals",
            state: "warning", message: "found 1: a-1.unverified", hint: "renamed to end in .journal", code: 0),
    ]

    private static let files = [
        Finding(
            testDescription: "settings that are odd",
            arrange: { stage, _ in try stage.edit { $0.replace("{database", with: "{lease: \"2s\", database") } },
            check: "settings", state: "warning", message: "lease is \"2s\"", hint: "no receipt is sent twice", code: 0),
        Finding(
            testDescription: "a key file that others can read",
            arrange: { stage, _ in try giveKey(TestKeys.p256, mode: 0o644, to: stage) }, check: key,
            message: "expected a file that its owner alone can read, found mode 0644", hint: "chmod 600", code: 78),
        Finding(
            testDescription: "a key file that is not there",
            arrange: { stage, _ in try stage.edit { $0.replace(/\ file: "[^"]*"/, with: " file: \"gone.p8\"") } },
            check: key, message: "gone.p8: no such file", hint: "readable for the user", code: 78),
        Finding(
            testDescription: "a key on another curve",
            arrange: { stage, _ in
                let key = try runOpenSSL(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"])
                try giveKey(String(decoding: key, as: UTF8.self), to: stage)
            },
            check: key, message: "expected an unencrypted P-256 private key", hint: "as Apple gave it out", code: 78),
        Finding(
            testDescription: "a file named after another key",
            arrange: { stage, _ in try giveKey(TestKeys.p256, file: "AuthKey_ABCDEFGHIJ.p8", to: stage) }, check: key,
            state: "warning", message: "expected the file AuthKey_SIMULATED1.p8, found ", hint: "is it this key's?",
            code: 0),
        Finding(
            testDescription: "one key under two identifiers",
            arrange: { stage, _ in
                try stage.edit {
                    $0.replace("signing_keys: [", with: "signing_keys: [{id: \"TWICE00001\", file: \"k.p8\"}, ")
                }
                try stage.edit { $0.replace(/(SIMULATED1", file: )"[^"]*"/) { "\($0.1)\"k.p8\"" } }
            },
            check: key, state: "warning", message: "k.p8 to be that of TWICE00001", hint: "by one identifier", code: 0),
        Finding(
            testDescription: "a file of roots that is not there",
            arrange: { stage, _ in
                try stage.edit { $0.replace("receipts: \"anchor.pem\"", with: "receipts: \"no.pem\"") }
            },
            check: "trust anchor of receipts", message: "no.pem: no such file", hint: "that can be read", code: 66),
        Finding(
            testDescription: "a root that has ended", arrange: { stage, _ in try await root(days: -1, in: stage) },
            check: "trust anchor of receipts", message: "expected a certificate that is valid now, found CN=root",
            hint: "clock right", code: 77),
        Finding(
            testDescription: "a root that ends soon", arrange: { stage, _ in try await root(days: 29, in: stage) },
            check: "trust anchor of receipts", state: "warning", message: "CN=root ends at ", hint: "afterwards",
            code: 0),
        Finding(
            testDescription: "a root that has a month", arrange: { stage, _ in try await root(days: 31, in: stage) },
            check: "trust anchor of receipts", state: "ok", message: "CN=root, valid to ", code: 0),
    ]

    private static func root(days: Int, in stage: Stage) async throws {
        try await TestAuthority.with { authority in
            let identity = try authority.issue("root", days: days)
            let pem = try String(contentsOfFile: "\(identity.folder)/server.pem", encoding: .utf8)
            try stage.attestwatch.file("anchor.pem", pem)
        }
    }

    private static let servers = [
        Finding(
            testDescription: "a name without an address", hasServer: false,
            // A label has 63 octets at most (RFC 1035 § 2.3.4), so nobody is asked for this one.
            arrange: { stage, _ in try stage.ask("https://\(String(repeating: "a", count: 64)).invalid/v1/x") },
            environment: noProxy, check: server, message: "aaa.invalid, found a failure of name_resolution: ",
            hint: "its name has no address", code: 69),
        Finding(
            testDescription: "a certificate that does not verify",
            arrange: { stage, _ in try stage.ask(trusting: "\(stage.folder)/anchor.pem") }, check: server,
            message: "127.0.0.1, found a failure of tls: ", hint: "its certificate does not verify", code: 69),
        Finding(
            testDescription: "nobody listens", hasServer: false, environment: noProxy, check: server,
            message: "127.0.0.1, found a failure of connection: ", hint: "is the network up", code: 69),
        Finding(
            testDescription: "nobody listens where the proxy should be",
            environment: ["no_proxy": "", "NO_PROXY": "", "https_proxy": "http://u:secret@127.0.0.2:9"],
            check: server,
            message: "127.0.0.1 through the proxy 127.0.0.2:9 (https_proxy), found a failure of proxy: ",
            hint: "is the proxy up", code: 69),
        Finding(
            testDescription: "a data server that fails", scenario: #"{"faults": [{"status": 503}]}"#, check: server,
            state: "ok", message: "answers over verified TLS (status 503 to HEAD)", code: 0),
        Finding(
            testDescription: "a data server's clock is seconds ahead",
            scenario: #"{"faults": [{"date_offset_s": 30}]}"#, check: "data server's clock production",
            state: "warning", message: "s behind that of the data server for production, expected at most 2 s",
            hint: "time service", code: 0),
        Finding(
            testDescription: "a data server's clock is minutes behind",
            scenario: #"{"faults": [{"date_offset_s": -200}]}"#, check: "data server's clock production",
            message: "s ahead of that of the data server for production", hint: "time service", code: 1),
    ]

    @Test(
        "each is told in its own line with what to do, everything else is in order",
        arguments: machine + files + servers)
    func findings(finding: Finding) async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, scenario: finding.scenario, hasServer: finding.hasServer)
            try stage.makeStateFolder()
            try await finding.arrange(stage, test)
            let found = try stage.diagnose(under: finding.words, environment: finding.environment)
            try expect(finding, in: found)
            let folder = stage.attestwatch.environment["STATE_DIRECTORY"] ?? ""
            if folder.hasPrefix("/dev/shm/") { try FileManager.default.removeItem(atPath: folder) }
        }
    }

    /// One line of the check is as the finding has it, and no other check has failed.
    private func expect(_ finding: Finding, in found: Diagnosis) throws {
        let line = try #require(
            found.lines(of: finding.check).first { $0.state == finding.state }, "\(found.text)")
        #expect(line.message.contains(finding.message), "\(line.message)")
        #expect((line.hint == nil) == finding.hint.isEmpty)
        #expect(finding.hint.isEmpty || line.hint?.contains(finding.hint) == true, "\(line.hint ?? "no hint")")
        #expect(found.checks(in: "failed") == (finding.state == "failed" ? [finding.check] : []), "\(found.text)")
        #expect(found.code == finding.code)
    }

    @Test("a state folder without room is told of, little room too")
    func space() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1)
            let limited = try LimitedFolder("\(stage.folder)/state", octets: 4 << 20)
            try #require(limited.words.isEmpty, "a file system of its own needs the right to mount one")
            let full = try stage.diagnose()
            #expect(
                full.lines(of: "state folder's space").map(\.message) == ["expected at least 8 MiB, 4 MiB are free"])
            #expect(full.code == 73)
            try stage.attestwatch.file("state/ballast", String(repeating: "A", count: 1 << 20))
            try limited.makeRoom()
            let better = try stage.diagnose()
            #expect(
                better.lines(of: "state folder's space").map(\.message) == [
                    "expected 64 MiB or more, 63 MiB are free"
                ])
            #expect(better.code == 0)
        }
    }
}
