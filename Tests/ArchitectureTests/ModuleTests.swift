import Testing

@Suite("The house")
struct ModuleTests {
    let tree = SourceTree.project

    private func sources() throws -> [String] {
        try tree.files(under: "Sources", ending: ".swift") + tree.files(under: "migrations", ending: ".swift")
            + tree.files(under: "ops", ending: ".swift")
    }

    @Test("every import line follows the table of modules")
    func imports() throws {
        let sources = try sources()
        #expect(sources.count > 20)
        for path in sources {
            for line in try tree.lines(path) {
                if let fault = ImportTable.fault(target: SourceTree.target(of: path), line: line) {
                    Issue.record("\(path): \(fault)")
                }
            }
        }
    }

    @Test(
        "a line against the table is found",
        arguments: [
            ("AppAttest", "import OpenSSL"), ("Refresh", "import ReceiptStore"), ("Risk", "import Foundation"),
            ("OpenSSL", "internal import AppAttest"), ("HTTP", "@preconcurrency import AppAttest"),
            ("AppAttest", "import struct Foundation.Date"), ("Unknown", "import AppAttest"),
        ])
    func negativeExample(target: String, line: String) {
        #expect(ImportTable.fault(target: target, line: line) != nil)
    }

    @Test("a line the table allows passes", arguments: ["import AppAttest", "// import OpenSSL", "let x = important"])
    func positiveExample(line: String) {
        #expect(ImportTable.fault(target: "Refresh", line: line) == nil)
    }

    @Test("only the wrappers say unsafe")
    func unsafeOnlyInWrappers() throws {
        for path in try sources() where !ImportTable.wrappers.contains(SourceTree.target(of: path)) {
            for (number, line) in try tree.lines(path).enumerated()
            where line.contains(/\bunsafe\b|@unsafe|@safe\b/) && !isComment(line) {
                Issue.record("\(path):\(number + 1): \(line)")
            }
        }
    }

    @Test("what escapes the compiler's checks gives its reason beside it")
    func escapesGiveReasons() throws {
        for path in try sources() {
            let lines = try tree.lines(path)
            for (number, line) in lines.enumerated()
            where line.contains(/try!|fatalError\(|\bas!|@unchecked Sendable|nonisolated\(unsafe\)/) && !isComment(line)
            {
                let near = lines[max(0, number - 4)...min(lines.count - 1, number + 2)]
                #expect(near.contains { $0.contains("because") }, "\(path):\(number + 1): \(line)")
            }
        }
    }

    @Test("time comes from the injected clock alone")
    func oneClock() throws {
        let clocks = ["Sources/System/SystemClock.swift", "Sources/System/MonotonicClock.swift"]
        for path in try sources() where !clocks.contains(path) {
            for (number, line) in try tree.lines(path).enumerated()
            where line.contains(/\bDate\(\)|Date\.now|\bclock_gettime\b|\bgettimeofday\b|[^_a-zA-Z.]time\(nil\)/)
                && !isComment(line)
            {
                Issue.record("\(path):\(number + 1): \(line)")
            }
        }
    }

    @Test("SQL takes the time as a parameter, but for leases, pace, audit and public defaults, and to compare clocks")
    func noNowInQueries() throws {
        for path in try tree.files(under: "Sources/ReceiptStore", ending: ".swift") {
            for (number, line) in try tree.lines(path).enumerated()
            where line.contains(
                /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp)\(\)|CURRENT_TIMESTAMP/)
                && !line.contains("clock.now()") && !isComment(line)
            {
                let allowed =
                    path.contains("Lease") || path.contains("Pace") || path.contains("Migrat")
                    || path.contains("InspectDatabase")
                #expect(allowed, "\(path):\(number + 1): \(line)")
            }
        }
    }

    private func isComment(_ line: String) -> Bool {
        line.drop { $0 == " " }.hasPrefix("//")
    }
}
