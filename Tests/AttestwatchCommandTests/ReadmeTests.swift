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
