import AttestwatchCommand
import Foundation
import Testing

@Suite("README's settings")
struct ReadmeSettingsTests {
    /// A path with the words that the table writes once for all environments and levels.
    private func general(_ path: String) -> String {
        path.split(separator: ".").map { step in
            switch step {
            case "production", "development": "ENV"
            case "watch", "review", "high": "LEVEL"
            default: String(step)
            }
        }.joined(separator: ".")
    }

    @Test("the table names every setting the decoder knows, and no other")
    func table() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let section = try #require(readme.components(separatedBy: "\n## Settings\n").last)
            .components(separatedBy: "\n## ")[0]
        let named = section.matches(of: /(?m)^\| `([^`]+)` \|/).map { String($0.1) }
        let all = ConfigurationKeys.all.map(general)
        let leaves = all.filter { key in !all.contains { $0.hasPrefix(key + ".") || $0.hasPrefix(key + "[") } }
        #expect(named.count == Set(named).count)
        #expect(Set(named) == Set(leaves))
    }
}
