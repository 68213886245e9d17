import Foundation
import SimulatedDataServer
import TestSupport
import Testing

@Suite("The simulator's command line")
struct CommandLineTests {
    private func run(_ words: String...) throws -> ToolResult {
        try runTool(productPath("data-server-simulator"), words)
    }

    @Test(
        "what is not understood is refused with what was expected",
        arguments: [
            (["frob"], "expected mint or serve, found frob"),
            (["mint", "--devices", "3"], "--directory is missing"),
            (["mint", "--directory", "/nowhere", "--environment", "sandbox"], "expected production or development"),
            (["serve", "--directory"], "--directory needs a value"),
            (["serve", "--port", "1"], "unexpected argument --port"),
            (["serve", "--directory", "/nowhere", "--client-key", "KID"], "expected KID:TEAM:PEMFILE"),
        ])
    func usage(words: [String], problem: String) throws {
        let result = try runTool(productPath("data-server-simulator"), words)
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("data-server-simulator: error: "))
        #expect(result.errors.contains(problem))
        #expect(result.errors.contains("\nhint: "))
    }

    @Test("a file that cannot be read or holds something else is exit code 66")
    func files() throws {
        let scratch = try Scratch()
        let clock = try scratch.write("clock", Array("tomorrow\n".utf8))
        let population = try scratch.write(
            "population.jsonl", Array("{\"minted_time\":\"2026-11-30T00:00:00Z\"}\n{}\n".utf8))
        #expect(try run("serve", "--directory", scratch.path, "--population", "\(scratch.path)/none").status == 66)
        #expect(try run("serve", "--directory", scratch.path, "--clock", clock).status == 66)
        let result = try run("serve", "--directory", scratch.path, "--population", population)
        #expect(result.status == 66)
        #expect(result.errors.contains("population.jsonl:2: expected a device of a population"))
    }

    @Test("mint writes a population and the lines that go with it, keys apart, for the owner alone")
    func mint() throws {
        let scratch = try Scratch()
        let result = try run(
            "mint", "--directory", scratch.path, "--devices", "3", "--keys-per-device", "2", "--app-id",
            "A1B2C3D4E5.example.app", "--environment", "development", "--suffix", "two")
        #expect(result.status == 0, "\(result.errors)")
        let population = try Population(file: "\(scratch.path)/population-two.jsonl")
        #expect(population.devices.map(\.deviceRef) == ["device-000001", "device-000002", "device-000003"])
        let intake = try String(contentsOfFile: "\(scratch.path)/intake-two.ndjson", encoding: .utf8)
        let lines = try intake.split(separator: "\n").map {
            try JSONDecoder().decode(MintedPopulation.IntakeLine.self, from: Data($0.utf8))
        }
        #expect(lines.map(\.keyID) == population.devices.flatMap(\.keys).map(\.keyID))
        #expect(Set(lines.map(\.keyID)).count == 6)
        #expect(lines.allSatisfy { $0.environment == .development })
        let keys = try FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/keys")
        #expect(!keys.isEmpty)
        for key in keys {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(scratch.path)/keys/\(key)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }
}
