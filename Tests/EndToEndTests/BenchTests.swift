import Foundation
import TestSupport
import Testing

@Suite("The benchmark")
struct BenchTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "ops/bench").path

    @Test("ops/bench --json prints one object: every key stored, figures above zero, units and ratio as they follow")
    func figures() throws {
        let result = try runTool(
            Self.script, ["--json", "--keys", "1500"],
            environment: ProcessInfo.processInfo.environment.merging([
                "ATTESTWATCH_BINARIES": URL(filePath: productPath("attestwatch")).deletingLastPathComponent().path
            ]) { _, new in new })
        try #require(result.status == 0, "\(result.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(result.output))
        let figures = try #require(object as? [String: Double])
        #expect(
            Set(figures.keys) == [
                "keys", "p256_units", "cpu_microseconds_per_receipt", "p256_microseconds", "p256_outside_microseconds",
                "postgres_microseconds_per_receipt", "receipts_per_second", "peak_rss_bytes", "few_keys",
                "few_keys_peak_rss_bytes", "memory_ratio",
            ])
        #expect(figures.values.allSatisfy { $0 > 0 })
        #expect(figures["keys"] == 1500)
        #expect(figures["few_keys"] == 1000)
        // One of a receipt's many steps is a verification, so no machine can get below one unit.
        let units = try #require(figures["p256_units"])
        #expect(units > 1)
        let (cpu, unit) = (figures["cpu_microseconds_per_receipt"] ?? 0, figures["p256_microseconds"] ?? 0)
        #expect(abs(units - cpu / unit) < 0.01 * units)
        let (many, few) = (figures["peak_rss_bytes"] ?? 0, figures["few_keys_peak_rss_bytes"] ?? 0)
        #expect(abs((figures["memory_ratio"] ?? 0) - many / few) < 0.01)
    }

    @Test("too few keys, or no number, end it with 64 before anything is started", arguments: ["999", "x", ""])
    func badNumber(_ text: String) throws {
        let result = try runTool(Self.script, ["--keys", text])
        #expect(result.status == 64)
        #expect(result.errors == "attestwatch: error: expected a whole number from 1000 for --keys, found '\(text)'\n")
    }
}
