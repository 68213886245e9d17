import Foundation
import TestSupport
import Testing

@Suite("ops/install and the units", .ownThreads)
struct InstallTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    private let scratch: Scratch
    /// The tree that is installed into.
    private let tree: String

    init() throws {
        scratch = try Scratch()
        tree = "\(scratch.path)/tree"
    }

    private func install(_ words: String..., environment: [String: String] = [:]) throws -> ToolResult {
        try runTool(
            "\(root)/ops/install", ["--binary", productPath("attestwatch")] + words,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new })
    }

    /// Every file beneath the tree, and every folder without one, by its path there.
    private func files() throws -> Set<String> {
        let walk = try #require(FileManager.default.enumerator(atPath: tree))
        var files: Set<String> = []
        for case let path as String in walk {
            let folder = "\(tree)/\(path)"
            let content = try? FileManager.default.contentsOfDirectory(atPath: folder)
            if content?.isEmpty ?? true { files.insert("/\(path)") }
        }
        return files
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(tree)\(path)", encoding: .utf8)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(tree)\(path)")[.posixPermissions] as? Int
    }

    private static let units = [
        "attestwatch.service", "attestwatch.timer", "attestwatch@.service", "attestwatch-prune.timer",
        "attestwatch-failure@.service",
    ]

    @Test("it puts everything in place under the prefix, and names each file it writes")
    func places() throws {
        let result = try install("--destdir", tree)
        #expect(result.status == 0, "\(result.errors)")
        let written = Set(result.text.split(separator: "\n").map { String($0.replacing(tree, with: "")) })
        let expected =
            Self.units.map { "/usr/local/lib/systemd/system/\($0)" } + [
                "/usr/local/bin/attestwatch", "/usr/local/lib/sysusers.d/attestwatch.conf",
                "/usr/local/share/man/man8/attestwatch.8",
                "/usr/local/share/doc/attestwatch/attestwatch.example.json5",
                "/usr/local/share/doc/attestwatch/attestwatch.cron", "/etc/attestwatch/attestwatch.json5",
            ]
        #expect(written == Set(expected))
        #expect(try files() == Set(expected + ["/etc/attestwatch/keys"]))
        #expect(try mode("/usr/local/bin/attestwatch") == 0o755)
        #expect(try mode("/etc/attestwatch/keys") == 0o700)
        #expect(try mode("/etc/attestwatch/attestwatch.json5") == 0o644)
        let version = try runTool("\(tree)/usr/local/bin/attestwatch", ["--version"])
        #expect(version.text.hasPrefix("attestwatch "))
    }

    @Test("run again it replaces what it wrote, and leaves the configuration")
    func again() throws {
        #expect(try install("--destdir", tree).status == 0)
        let before = try files()
        try Data("{mine: 1}".utf8).write(to: URL(filePath: "\(tree)/etc/attestwatch/attestwatch.json5"))
        try Data("old".utf8).write(to: URL(filePath: "\(tree)/usr/local/bin/attestwatch"))
        let second = try install(environment: ["DESTDIR": tree])
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.text.contains("\(tree)/etc/attestwatch/attestwatch.json5 stays as it is\n"))
        #expect(try text("/etc/attestwatch/attestwatch.json5") == "{mine: 1}")
        #expect(try runTool("\(tree)/usr/local/bin/attestwatch", ["--version"]).status == 0)
        #expect(try files() == before)
    }

    @Test("units and cron line name the program under the prefix; whichever it is, they are where systemd finds them")
    func prefix() throws {
        #expect(try install("--destdir", tree, "--prefix", "/opt/attestwatch/").status == 0)
        let units = "/usr/local/lib/systemd/system"
        for path in Self.units.map({ "\(units)/\($0)" }) + [
            "/opt/attestwatch/share/doc/attestwatch/attestwatch.cron"
        ] {
            #expect(try !text(path).contains("/usr/local"), "\(path)")
        }
        #expect(try text("\(units)/attestwatch.service").contains("=/opt/attestwatch/bin/attestwatch refresh"))
        #expect(FileManager.default.fileExists(atPath: "\(tree)/usr/local/lib/sysusers.d/attestwatch.conf"))
    }

    @Test(
        "what somebody has changed under /etc stays: a drop-in, and a unit in place of ours, which it tells of",
        arguments: ["/usr/local", "/usr", "/opt/attestwatch"])
    func changed(prefix: String) throws {
        let own = [
            "/etc/systemd/system/attestwatch.service", "/etc/systemd/system/attestwatch.timer.d/every-hour.conf",
            "/etc/sysusers.d/attestwatch.conf",
        ]
        for path in own {
            let folder = URL(filePath: "\(tree)\(path)").deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: URL(filePath: "\(tree)\(path)"))
        }
        for _ in 0..<2 {
            let result = try install("--destdir", tree, "--prefix", prefix)
            #expect(result.status == 0, "\(result.errors)")
            for path in own { #expect(try text(path) == "mine") }
            let told = result.text.split(separator: "\n").filter { $0.contains("/etc/systemd") }
            #expect(told == ["\(tree)\(own[0]) stays as it is, and is used in its place"])
        }
        #expect(try files().filter { $0.hasPrefix("/etc/s") } == Set(own))
    }

    @Test("where something is wrong it says so and writes nothing")
    func refusals() throws {
        try FileManager.default.createDirectory(atPath: "\(tree)/etc", withIntermediateDirectories: true)
        _ = try scratch.write("tree/etc/attestwatch", [])
        let blocked = try install("--destdir", tree)
        #expect(blocked.status == 73)
        #expect(blocked.errors.contains("error: expected a folder at \(tree)/etc/attestwatch, found a file"))
        #expect(try files() == ["/etc/attestwatch"])
        for (words, code) in [
            (["--prefix", "usr"], 64), (["--prefix", "/a b"], 64), (["--prefx"], 64), (["--destdir"], 64),
            (["--binary", "/nowhere"], 66), (["--binary", "/bin/true"], 66), (["--binary", "/bin/false"], 66),
        ] {
            let wrong = try runTool("\(root)/ops/install", ["--destdir", "\(scratch.path)/other"] + words)
            #expect(wrong.status == Int32(code), "\(words)")
            #expect(wrong.errors.hasPrefix("attestwatch: error: ") && wrong.text == "", "\(words)")
        }
        let walk = try? FileManager.default.subpathsOfDirectory(atPath: "\(scratch.path)/other")
        #expect(walk ?? [] == [])
        #expect(try runTool("\(root)/ops/install", ["--help"]).text.contains("--binary FILE"))
    }

    /// An installed tree with what Debian's systemd has beside it.
    private func root(prefix: String = "/usr/local") throws {
        #expect(try install("--destdir", tree, "--prefix", prefix).status == 0)
        for path in ["/usr/lib/systemd", "/usr/bin"] {
            try FileManager.default.createDirectory(atPath: "\(tree)\(path)", withIntermediateDirectories: true)
        }
        let copy = try runTool("cp", ["-a", "--no-clobber", "/lib/systemd/system", "\(tree)/usr/lib/systemd/"])
        #expect(copy.status == 0, "\(copy.errors)")
        #expect(try runTool("cp", ["--dereference", "/bin/sh", "\(tree)/usr/bin/sh"]).status == 0)
        for (link, target) in [("lib", "usr/lib"), ("bin", "usr/bin")] {
            try FileManager.default.createSymbolicLink(atPath: "\(tree)/\(link)", withDestinationPath: target)
        }
    }

    /// A unit as a person would name it: a template needs an instance.
    private func instance(_ unit: String) -> String { unit.replacing("@.", with: "@doctor.") }

    @Test("systemd finds no fault in the units", arguments: ["/usr/local", "/usr", "/opt/attestwatch"])
    func verify(prefix: String) throws {
        try root(prefix: prefix)
        let words = ["verify", "--man=no", "--root=\(tree)", "--recursive-errors=one"] + Self.units.map(instance)
        let result = try runTool("systemd-analyze", words)
        #expect(result.status == 0 && result.text + result.errors == "", "\(result.text)\(result.errors)")
        // It would have found one.
        try FileManager.default.removeItem(atPath: "\(tree)\(prefix)/bin/attestwatch")
        let faulty = try runTool("systemd-analyze", words)
        #expect(faulty.status != 0 && faulty.errors.contains("\(prefix)/bin/attestwatch is not executable"))
    }

    @Test("the services are walled in: 2.0 or better by systemd's count of exposure")
    func security() throws {
        try root()
        for unit in ["attestwatch.service", "attestwatch@.service"] {
            let result = try runTool(
                "systemd-analyze",
                ["security", "--no-pager", "--offline=true", "--threshold=20", "--root=\(tree)", instance(unit)])
            #expect(result.status == 0, "\(result.text)\(result.errors)")
            #expect(result.text.contains("Overall exposure level for \(instance(unit)): "))
        }
    }

    @Test("a single command runs behind the walls of the service")
    func sameWalls() throws {
        func settings(_ unit: String) throws -> [String] {
            let text = try String(contentsOfFile: "\(root)/ops/systemd/\(unit)", encoding: .utf8)
            return text.split(separator: "\n").map(String.init).filter {
                !$0.hasPrefix("#") && !$0.contains(/^(Description|ExecStart|TimeoutStartSec)=/)
            }
        }
        #expect(try settings("attestwatch@.service") == settings("attestwatch.service"))
    }

    @Test("the timers can be enabled, and the user be made")
    func enabled() throws {
        try root()
        for timer in Self.units where timer.hasSuffix(".timer") {
            let enabled = try runTool("systemctl", ["--root=\(tree)", "enable", timer])
            #expect(enabled.status == 0, "\(enabled.errors)")
            let link = "\(tree)/etc/systemd/system/timers.target.wants/\(timer)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link).hasSuffix("/system/\(timer)"))
        }
        let made = try runTool(
            "systemd-sysusers", ["--root=\(tree)", "\(tree)/usr/local/lib/sysusers.d/attestwatch.conf"])
        #expect(made.status == 0, "\(made.errors)")
        #expect(try text("/etc/passwd").contains(/(?m)^attestwatch:.*:\/var\/lib\/attestwatch:/))
    }

    @Test("a run has time for its end before systemd asks no more")
    func times() throws {
        let service = try String(contentsOfFile: "\(root)/ops/systemd/attestwatch.service", encoding: .utf8)
        // README: --grace is 30 s, and a database that is away is waited for up to a minute.
        let stop = try #require(service.firstMatch(of: /\nTimeoutStopSec=(\d+)min\n/).flatMap { Int($0.1) })
        #expect(stop * 60 > 30 + 60)
        let sending = try #require(service.firstMatch(of: /--max-duration (\d+)m\n/).flatMap { Int($0.1) })
        let start = try #require(service.firstMatch(of: /\nTimeoutStartSec=(\d+)min\n/).flatMap { Int($0.1) })
        #expect(start * 60 > sending * 60 + 30 + 60)
    }
}
