import Testing

@Suite("Sizes")
struct SizeTests {
    let tree = SourceTree.project

    @Test("no file over 450 lines, no line over 120 characters")
    func files() throws {
        for path in try tree.files(under: "Sources", ending: ".swift") + tree.files(under: "Tests", ending: ".swift") {
            let lines = try tree.lines(path)
            #expect(lines.count <= 451, "\(path) has \(lines.count) lines")
            for (number, line) in lines.enumerated() {
                #expect(line.count <= 120, "\(path):\(number + 1) has \(line.count) characters")
            }
        }
    }

    @Test("no function over 60 lines")
    func functions() throws {
        for path in try tree.files(under: "Sources", ending: ".swift") {
            for function in try longFunctions(tree.lines(path), limit: 60) {
                Issue.record("\(path): \(function)")
            }
        }
    }

    @Test("a function that is too long is found")
    func negativeExample() {
        let body = Array(repeating: "        work()", count: 61)
        let lines = ["struct A {", "    func long() {"] + body + ["    }", "    func short() {", "    }", "}"]
        #expect(longFunctions(lines, limit: 60) == ["func long() { (63 lines)"])
    }

    /// Functions and initializers longer than `limit`, from their `func` line to the brace at the same indentation.
    private func longFunctions(_ lines: [String], limit: Int) -> [String] {
        var found: [String] = []
        for (start, line) in lines.enumerated() where line.contains(/^ *([a-z@()]+ )*(func [^ ]|init[?(<]|deinit )/) {
            let indent = line.prefix { $0 == " " }
            let end = lines[(start + 1)...].firstIndex { $0 == indent + "}" } ?? start
            if end - start + 1 > limit {
                found.append("\(line.drop { $0 == " " }) (\(end - start + 1) lines)")
            }
        }
        return found
    }
}
