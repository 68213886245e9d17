import AttestwatchCommand
import Foundation
import TestSupport
import Testing

@Suite("The manual page", .ownThreads)
struct ManualPageTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private let text: String

    init() throws {
        text = try String(contentsOf: root.appending(path: "ops/man/attestwatch.8"), encoding: .utf8)
    }

    /// The lines of a section.
    private func section(_ name: String) throws -> [String] {
        let lines = text.split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex(of: ".Sh \(name)"))
        return lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") }.map(\.self)
    }

    @Test("its markup is without fault")
    func markup() throws {
        let result = try runTool(
            "mandoc", ["-T", "lint", "-W", "warning", root.appending(path: "ops/man/attestwatch.8").path])
        #expect(result.status == 0 && result.text == "", "\(result.text)")
    }

    @Test("it names each subcommand, and no other")
    func subcommands() async throws {
        let named = try section("DESCRIPTION").compactMap { $0.wholeMatch(of: /\.It Cm ([a-z]+)/).map { String($0.1) } }
        #expect(try await Set(named) == Set(SecretTests.subcommands()))
        #expect(named.count == Set(named).count)
    }

    @Test("it names each exit code, and no other")
    func exitCodes() throws {
        let named = try section("EXIT STATUS").compactMap { $0.wholeMatch(of: /\.It ([0-9]+)/).flatMap { Int32($0.1) } }
        #expect(named == ExitCode.allCases.map(\.rawValue))
    }

    @Test("it names each environment variable that the program looks at")
    func variables() throws {
        let sources = root.appending(path: "Sources")
        let walk = try #require(FileManager.default.enumerator(atPath: sources.path))
        var variables: Set<String> = []
        for case let path as String in walk where path.hasSuffix(".swift") {
            let code = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            let named = code.matches(
                of: /environment\["([A-Z_a-z]+)"\]|"((?:https|all|no)_proxy|(?:HTTPS|ALL|NO)_PROXY)"/)
            variables.formUnion(named.map { String($0.1 ?? $0.2 ?? "") })
        }
        // That of the program with the moved clock, which is never installed.
        variables.remove("ATTESTWATCH_TIMELAPSE_CLOCK")
        #expect(variables.isSuperset(of: ["ATTESTWATCH_CONFIG", "JOURNAL_STREAM", "PGPASSWORD", "https_proxy"]))
        let named = try section("ENVIRONMENT").filter { $0.hasPrefix(".It Ev ") }.joined(separator: " ")
            .split { $0 == " " || $0 == "," }.map(String.init)
        #expect(variables.subtracting(named) == [])
    }
}
