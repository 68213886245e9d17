import Foundation
import TestSupport
import Testing

@Suite("The benchmark of back-fills", .ownThreads)
struct BackFillMemoryTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "ops/bench").path
    /// How many rows; `ops/test` says more than the loop does.
    private static let rows =
        ProcessInfo.processInfo.environment["ATTESTWATCH_BACKFILL_ROWS"].flatMap(Int.init) ?? 20_000

    @Test("a back-fill's peak memory is within a quarter of that of one with a tenth of its rows, in three runs each")
    func memory() throws {
        let result = try runTool(
            Self.script, ["--json", "--backfill", "\(Self.rows)", "--runs", "3"],
            environment: ProcessInfo.processInfo.environment.merging([
                "ATTESTWATCH_BINARIES": URL(filePath: productPath("attestwatch")).deletingLastPathComponent().path
            ]) { _, new in new })
        try #require(result.status == 0, "\(result.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(result.output))
        let figures = try #require(object as? [String: Any])
        #expect(figures["rows"] as? Int == Self.rows && figures["runs"] as? Int == 3)
        let few = try #require(figures["few_rows_peak_rss_bytes"] as? [Int])
        let many = try #require(figures["peak_rss_bytes"] as? [Int])
        #expect(few.count == 3 && many.count == 3)
        // No program with OpenSSL and libpq in it has so little.
        let (least, most) = (try #require((few + many).min()), try #require((few + many).max()))
        #expect(least > 5 << 20)
        #expect(Double(most) <= 1.25 * Double(least), "few rows \(few), many rows \(many)")
        for name in ["rows_per_second", "cpu_microseconds_per_row", "p256_units", "postgres_microseconds_per_row"] {
            #expect(try #require(figures[name] as? Double) > 0, "\(name)")
        }
    }

    @Test("numbers that are none end it with 64", arguments: [["--backfill", "x"], ["--runs", "0"], ["--runs"]])
    func badNumber(_ words: [String]) throws {
        let result = try runTool(Self.script, words)
        #expect(result.status == 64)
        #expect(result.errors.contains("for \(words[0]), found '"))
    }
}
