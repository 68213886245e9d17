import AppAttest
import AttestwatchCommand
import Foundation
import SimulatedDataServer
import Testing

@Suite("inspect")
struct InspectCommandTests {
    static let genuine = ProcessInfo.processInfo.environment["ATTESTWATCH_GENUINE"]
    static let isRequired = ProcessInfo.processInfo.environment["ATTESTWATCH_REQUIRE_GENUINE"] == "1"
    static let keys: Set<String> = [
        "file", "kind", "valid", "failure", "app_id", "key_id", "environment", "receipt_type", "creation_time",
        "not_before", "expiration_time", "risk_metric", "size", "encoding",
    ]

    @Test(
        "every genuine receipt gives the values that are known of it, and the bad ones are refused",
        .enabled(if: genuine != nil || isRequired, "no genuine receipts"))
    func genuineReceipts() async throws {
        let folder = URL(filePath: try #require(Self.genuine))
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "expected.json")))
        let expected = try #require(json as? [[String: Any]]).filter { $0["kind"] as? String == "receipt" }
        let files = expected.compactMap { $0["file"] as? String }.map { folder.appending(path: $0).path }
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let result = try await attestwatch.run(["inspect", "--json"] + files)
        #expect(result.code == .attention)
        let found = try jsonLines(result.output)
        #expect(found.count == expected.count && found.count > 40)
        for (found, expected) in zip(found, expected) {
            #expect(Set(found.keys) == Self.keys)
            try check(found, expected)
        }
    }

    private func check(_ found: [String: Any], _ expected: [String: Any]) throws {
        let name = try #require(expected["name"] as? String)
        let fields = try #require(expected["fields"] as? [String: [String: Any]])
        func field(_ number: Int) -> String? { fields[String(number)]?["value"] as? String }
        let verify = try #require(expected["openssl_cms_verify"] as? [String: Any])
        #expect(found["valid"] as? Bool == verify["at_creation_time"] as? Bool, "\(name)")
        #expect((found["failure"] is NSNull) == (found["valid"] as? Bool), "\(name)")
        #expect(found["app_id"] as? String == field(2), "\(name)")
        #expect(found["receipt_type"] as? String == field(6), "\(name)")
        #expect(found["environment"] as? String == (field(7) == "sandbox" ? "development" : field(7)), "\(name)")
        #expect(found["creation_time"] as? String == field(12), "\(name)")
        #expect(found["risk_metric"] as? Int == field(17).flatMap { Int($0) }, "\(name)")
        #expect(found["not_before"] as? String == field(19), "\(name)")
        #expect(found["expiration_time"] as? String == field(21), "\(name)")
        for key in ["key_id", "encoding", "kind"] {
            #expect(found[key] as? String == expected[key] as? String, "\(name) \(key)")
        }
        #expect(found["size"] as? Int == expected["size"] as? Int, "\(name)")
    }

    @Test("a file that cannot be read is 66, and the others are still shown")
    func unreadable() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let nonsense = try attestwatch.file("nonsense", "*")
        let result = try await attestwatch("inspect", "/nowhere/r", "--json", nonsense)
        #expect(result.code == .inputUnreadable)
        #expect(
            result.errors.hasPrefix("attestwatch: error: cannot read /nowhere/r: no such file or directory\nhint: "))
        let found = try jsonLines(result.output)
        #expect(found.count == 1)
        #expect(found.first?["valid"] as? Bool == false)
        #expect(found.first?["failure"] as? String == "not_base64")
        #expect(found.first?["kind"] as? String == "unknown")
        #expect(found.first?["size"] as? Int == 1)
    }

    @Test(
        "what is no receipt is not valid, for a reason with a stable word",
        arguments: [
            ("", "empty", 0), ("o2NmbXQ=", "attestation_object", 5), ("MAA=", "missing_element", 2),
            ("QUJD", "not_a_receipt", 3), ("QUJD*", "not_base64", 5),
        ])
    func noReceipts(text: String, word: String, size: Int) async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let result = try await attestwatch.run(["inspect", "-", "--json"], input: text)
        #expect(result.code == .attention)
        let found = try #require(try jsonLines(result.output).first)
        #expect(Set(found.keys) == Self.keys)
        #expect(found["failure"] as? String == word)
        #expect(found["size"] as? Int == size)
        let words = try await attestwatch.run(["inspect", "-"], input: text)
        #expect(words.code == .attention)
        #expect(words.output.hasPrefix("-: not valid\n"))
    }

    @Test("options are checked before anything is read")
    func options() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let time = try await attestwatch("inspect", "/nowhere/r", "--at", "yesterday")
        #expect(time.code == .usage)
        #expect(time.errors.contains("--at: expected an RFC 3339 time such as 2026-10-09T07:25:21Z, found 'yesterday'"))
        let app = try await attestwatch("inspect", "/nowhere/r", "--app-id=x")
        #expect(app.code == .usage)
        let root = try await attestwatch("inspect", "/nowhere/r", "--trust-anchor", "/nowhere/root.pem")
        #expect(root.code == .inputUnreadable)
        let nonsense = try attestwatch.file("root.pem", "nonsense")
        let none = try await attestwatch("inspect", "/nowhere/r", "--trust-anchor", nonsense)
        #expect(none.code == .inputUnreadable)
        #expect(none.errors.contains("\(nonsense): expected certificates in PEM form"))
    }

    @Test("a receipt under another root is valid with --trust-anchor, in any flavour, and not without it or later")
    func otherRoot() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        var pki = try SimulatedPKI()
        let plan = PopulationPlan(devices: 1, appID: "A1B2C3D4E5.com.example", environment: .development)
        let minted = try pki.mint(plan, now: SimulatedTime(seconds: 1_790_000_000))
        let receipt = try #require(minted.intake.first).receipt
        let raw = attestwatch.folder.appending(path: "raw")
        try receipt.write(to: raw)
        let text = receipt.base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn])
        let wrapped = try attestwatch.file("wrapped", text.replacing("+", with: "-").replacing("/", with: "_"))
        let root = try attestwatch.file("root.pem", PEM.encode("CERTIFICATE", pki.receiptRoot.certificate))
        let result = try await attestwatch("inspect", raw.path, wrapped, "--json", "--trust-anchor", root)
        #expect(result.code == .success)
        let found = try jsonLines(result.output)
        #expect(found.count == 2)
        for object in found {
            #expect(object["valid"] as? Bool == true)
            #expect(object["failure"] is NSNull)
            #expect(object["environment"] as? String == "development")
            #expect(object["risk_metric"] is NSNull)
            #expect(object["size"] as? Int == receipt.count)
        }
        let words = try await attestwatch("inspect", raw.path, "--trust-anchor", root, "--app-id", plan.appID)
        #expect(words.code == .success)
        #expect(words.output.hasPrefix("\(raw.path): valid\n"))
        for step in ["envelope", "signature", "chain", "signer", "payload", "app_id", "key"] {
            #expect(words.output.contains(try Regex("step \(step) +ok\n")), "\(step)")
        }
        #expect(words.output.matches(of: /\n  issued by +\S/).count == 2)
        let doubtful = try await attestwatch("inspect", raw.path)
        #expect(doubtful.output.contains(/\n  signer +CN=Simulated Application|\n  signer +C=US.*Receipt Signing/))
        #expect(doubtful.output.matches(of: /\n  embedded certificate +\S/).count == 2)
        #expect(!doubtful.output.contains("issued by"))
        let untrusted = try await attestwatch("inspect", raw.path, "--json")
        #expect(untrusted.code == .attention)
        #expect(try jsonLines(untrusted.output).first?["failure"] as? String == "chain")
        let late = try await attestwatch(
            "inspect", raw.path, "--json", "--trust-anchor", root, "--at", "2030-01-01T00:00:00Z")
        #expect(try jsonLines(late.output).first?["failure"] as? String == "chain")
        let other = try await attestwatch(
            "inspect", raw.path, "--json", "--trust-anchor", root, "--app-id", "A1B2C3D4E5.com.other")
        #expect(try jsonLines(other.output).first?["failure"] as? String == "app_id")
    }
}
