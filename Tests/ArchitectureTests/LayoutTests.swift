import Foundation
import Testing

@Suite("Layout and words")
struct LayoutTests {
    let tree = SourceTree.project

    @Test("the top level holds what it should and nothing else")
    func topLevel() throws {
        let allowed: Set<String> = [
            "Package.swift", "Sources", "Tests", "migrations", "ops", "README.md", "CONTRIBUTING.md",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: tree.root.path).filter { !$0.hasPrefix(".") }
        #expect(Set(names).subtracting(allowed).isEmpty)
        #expect(Set(names).isSuperset(of: allowed))
    }

    @Test("no leftover marks in sources, tests, scripts, migrations and documents")
    func marks() throws {
        // Put together here so that the check does not find itself.
        let marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]
        for path in try documents() {
            for (number, line) in try tree.lines(path).enumerated() where line.contains("@@") {
                Issue.record("\(path):\(number + 1): \(line)")
            }
        }
        for path in try textFiles() {
            for (number, line) in try tree.lines(path).enumerated() {
                for mark in marks where line.contains(try Regex("\\b\(mark)\\b")) {
                    Issue.record("\(path):\(number + 1): \(line)")
                }
            }
        }
    }

    @Test("links between documents lead somewhere")
    func links() throws {
        var links = 0
        for path in try documents() {
            let folder = (path as NSString).deletingLastPathComponent
            for match in try tree.text(path).matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
                links += 1
                let target = tree.root.appending(path: folder).appending(path: String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: target), "\(path) → \(match.1)")
            }
        }
        #expect(links > 0)
    }

    @Test("paths that documents name are there")
    func paths() throws {
        var paths = 0
        for path in ["README.md", "CONTRIBUTING.md"] {
            for match in try tree.text(path).matches(of: /`((?:Sources|Tests|ops|migrations)\/[^`\s]+)[^`]*`/) {
                // A pattern for names to come.
                if match.1.contains("NNNN") { continue }
                paths += 1
                let target = tree.root.appending(path: String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: target), "\(path) → \(match.1)")
            }
        }
        #expect(paths > 10)
    }

    private func documents() throws -> [String] {
        ["README.md", "CONTRIBUTING.md"] + (try tree.files(under: "migrations", ending: ".md"))
            + (try tree.files(under: "ops", ending: ".md"))
    }

    private func textFiles() throws -> [String] {
        try tree.files(under: "Sources", ending: ".swift") + tree.files(under: "Tests", ending: ".swift")
            + tree.files(under: "migrations", ending: ".sql") + documents()
    }
}
