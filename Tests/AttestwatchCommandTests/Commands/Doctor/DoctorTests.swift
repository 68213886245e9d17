import AttestwatchCommand
import Foundation
import TestServers
import TestSupport
import Testing

@Suite("doctor")
struct DoctorTests {
    @Test("where all is well it says so of each check, ends with 0, and hands nothing over")
    func healthy() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, scenario: "{}")
            try stage.makeStateFolder()
            let found = try stage.diagnose()
            #expect(found.code == 0)
            #expect(found.checks(in: "failed") == [] && found.checks(in: "skipped") == [])
            // A stage has stand-ins of the data server and of the roots.
            #expect(found.checks(in: "warning") == ["Apple's own", "Apple's own"])
            #expect(
                found.lines.map(\.check) == [
                    "open files", "configuration", "settings", "Apple's own", "Apple's own", "state folder",
                    "state folder's space", "journals", "signing key SIMULATED1 of A1B2C3D4E5",
                    "trust anchor of receipts", "TLS authority for production", "database password",
                    "database connection", "database version", "database writes", "migrations", "database role",
                    "database clock",
                    "data server production", "data server's clock production",
                ])
            let asked = try stage.ledger()
            #expect(asked.map(\.status) == [405])
            #expect(asked.allSatisfy { $0.sentDigest == nil && $0.keyID == nil && $0.signingKeyID == nil })
            #expect(try await test.number("SELECT count(*) FROM attestwatch.worker") == 0)
        }
    }

    @Test("for people: a line a check, its state first, and the hint beneath")
    func lines() async throws {
        let attestwatch = try CommandRunner()
        defer { try? attestwatch.remove() }
        let file = try attestwatch.file("a.json5", "{apps: []}")
        let result = try await attestwatch("doctor", "--config", file)
        #expect(result.code == .configuration)
        #expect(
            result.output.contains("\nfailed   configuration: \(file):1:8: apps: expected 1 or more apps, found 0\n"))
        #expect(result.output.contains("\nskipped  database: named in the configuration, which failed\n"))
        #expect(result.output.hasPrefix("ok       open files: "))
        let missing = try await attestwatch("doctor", "--config", "/nowhere/a.json5")
        #expect(missing.code == .configuration)
        #expect(missing.output.contains("no such file or directory\nhint: name the file with --config"))
    }

    @Test("the exit code is that of the first check that failed, and the others are gone through all the same")
    func several() async throws {
        try await TestDatabase.migrated { test in
            let stage = try Stage(test, devices: 1, hasServer: false)
            try stage.makeStateFolder(mode: 0o755)
            try stage.edit { $0.replace("dbname=attestwatch_test", with: "dbname=nobodys") }
            let found = try stage.diagnose()
            #expect(found.checks(in: "failed") == ["state folder", "database connection", "data server production"])
            #expect(found.code == 73)
            #expect(
                found.checks(in: "skipped") == [
                    "database version", "database writes", "migrations", "database role", "database clock",
                    "data server's clock production",
                ])
        }
    }

    @Test(
        "a version before 15 is refused, 15 and later are not",
        arguments: [(149_999, false), (150_000, true), (170_002, true)])
    func version(number: Int, isTaken: Bool) {
        let check = DatabaseChecks.version(number)
        #expect(check.state == (isTaken ? .ok : .failed(.database)))
        #expect(check.message.contains(isTaken ? "PostgreSQL" : "expected PostgreSQL 15 or later, found 14.9999"))
    }

    @Test(
        "a proxy is named as libcurl finds it, without user and password",
        arguments: [
            ([:], nil),
            (["https_proxy": ""], nil),
            (["https_proxy": "http://user:word@proxy.example:3128/"], "proxy.example:3128 (https_proxy)"),
            (["HTTPS_PROXY": "proxy.example:3128"], "proxy.example:3128 (HTTPS_PROXY)"),
            (["ALL_PROXY": "socks5h://127.0.0.1:9"], "127.0.0.1:9 (ALL_PROXY)"),
            (["http_proxy": "http://proxy.example"], nil),
            (["https_proxy": "http://p", "no_proxy": "*"], nil),
            (["https_proxy": "http://p", "no_proxy": "other.example, .apple.com"], nil),
            (["https_proxy": "http://p", "NO_PROXY": "data.appattest.apple.com"], nil),
            (["https_proxy": "http://p", "no_proxy": "pple.com"], "p (https_proxy)"),
        ] as [([String: String], String?)])
    func proxies(environment: [String: String], proxy: String?) {
        #expect(ProxyVariables(environment).proxy(for: "data.appattest.apple.com") == proxy)
    }
}
