import AttestwatchCommand
import Foundation
import Testing

@Suite("README's exit codes and summary")
struct ReadmeTests {
    private let text: String

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    @Test("what README says of handing over receipts and what ingest --help says name the same options and rows")
    func ingestOptions() async throws {
        let runner = try CommandRunner()
        defer { try? runner.remove() }
        let help = try await runner("ingest", "--help").output
        let start = try #require(text.range(of: "### Handing over what you have\n"))
        let rest = text[start.upperBound...]
        let section = rest[..<(try #require(rest.range(of: "\n#"))).lowerBound]
        func options(_ text: some StringProtocol) -> Set<String> {
            Set(String(text).matches(of: /--[a-z]+/).map { String($0.output) })
        }
        #expect(options(help).subtracting(["--help", "--config"]) == options(section))
        for name in ["app_id", "key_id", "receipt", "environment", "device_ref", "user_ref", "attested_time"] {
            #expect(help.contains(name))
        }
    }

    @Test("every exit code has its line, and no other number has")
    func exitCodes() throws {
        let lines = text.split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "### Exit codes"))
        let numbers = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: "|").first.flatMap { Int32($0.trimmingCharacters(in: .whitespaces)) }
        }
        #expect(numbers == ExitCode.allCases.map(\.rawValue))
    }
}
