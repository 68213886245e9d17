import AttestwatchCommand
import Foundation
import Refresh
import Testing

@Suite("The runbook")
struct RunbookTests {
    private let sections: [String: [Substring]]

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "ops/RUNBOOK.md"), encoding: .utf8)
        var sections: [String: [Substring]] = [:]
        var title = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                title = line.trimmingCharacters(in: ["#", " "])
                sections[title] = []
            } else {
                sections[title, default: []].append(line)
            }
        }
        self.sections = sections
    }

    @Test("says of each exit code what to do, and of no other number")
    func exitCodes() {
        let numbers = sections.keys.compactMap(Int32.init)
        #expect(numbers.sorted() == ExitCode.allCases.map(\.rawValue).sorted())
        for number in numbers { #expect(sections[String(number)]?.isEmpty == false, "\(number)") }
    }

    @Test("says of each kind of alert what it means and what to do, and of no other")
    func alerts() {
        let kinds = sections.keys.filter { $0.contains(".") && !$0.contains(" ") }
        #expect(kinds.sorted() == AlertKind.allCases.map(\.rawValue).sorted())
        for kind in kinds {
            for part in ["- *Means:*", "- *Do:*"] {
                #expect(sections[kind]?.contains { $0.hasPrefix(part) } == true, "\(kind) \(part)")
            }
        }
    }
}
