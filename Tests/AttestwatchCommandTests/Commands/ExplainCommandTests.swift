import AppAttest
import AttestwatchCommand
import Foundation
import Reporting
import TestSupport
import Testing

@Suite("attestwatch explain", .serialized)
struct ExplainCommandTests {
    @Test("a key that was refreshed is told of in every form its name is copied in, and never with its receipt")
    func key() async throws {
        try await TestDatabase.migrated { database in
            let stage = try Stage(database, devices: 4, keysPerDevice: 2)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            try stage.wait(.hours(2))
            #expect(try await stage.attestwatch("refresh").code == .success)
            let device = stage.population.population.devices[2]
            let bytes = [UInt8](device.keys[0].keyID)
            let base64 = Data(bytes).base64EncodedString()
            let urlSafe = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            for form in [base64, urlSafe, hexadecimal(bytes)] {
                let told = try await stage.attestwatch("explain", "--json", "--", form)
                #expect(told.code == .success, "\(told.errors)")
                let json = try #require(try jsonLines(told.output).first)
                let key = try #require(json["key"] as? [String: Any])
                #expect(key["key_id"] as? String == base64 && json["device_ref"] as? String == device.deviceRef)
                #expect(json["key_count"] as? Int == 2 && (json["other_keys"] as? [Any])?.count == 1)
            }
            let told = try await stage.attestwatch("explain", device.deviceRef)
            #expect(told.code == .success, "\(told.errors)")
            #expect(told.output.contains("\(device.deviceRef), 2 keys on record"))
            #expect(told.output.contains("replaced") && told.output.contains("200, Date "))
            for line in stage.population.intake where line.deviceRef == device.deviceRef {
                #expect(!told.output.contains(line.receipt.base64EncodedString().prefix(40)))
            }
            for key in device.keys { #expect(!told.output.contains(key.token)) }
        }
    }

    @Test("the newest key's plan and what a run would do follow the clock")
    func overTime() async throws {
        try await TestDatabase.migrated { database in
            let stage = try Stage(database, devices: 1)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            func told() async throws -> (reason: String?, step: String?) {
                let output = try await stage.attestwatch("explain", "device-000001", "--json").output
                let json = try #require(try jsonLines(output).first)
                return (
                    (json["why"] as? [String: Any])?["reason"] as? String,
                    (json["run_now"] as? [String: Any])?["step"] as? String
                )
            }
            #expect(try await told() == ("first_reading", "wait"))
            try stage.wait(.hours(2))
            #expect(try await told() == ("first_reading", "send"))
            #expect(try await stage.attestwatch("refresh").code == .success)
            #expect(try await told() == ("clear", "wait"))
            try stage.wait(.days(32))
            #expect(try await told() == ("clear", "send"))
            #expect(try await stage.attestwatch("refresh").code == .success)
            #expect(try await told() == ("quiet", "wait"))
        }
    }

    @Test("what is not on record ends with 1 and says so; an app that has none of it too")
    func notOnRecord() async throws {
        try await TestDatabase.migrated { database in
            let stage = try Stage(database, devices: 1, hasServer: false)
            #expect(try await stage.attestwatch("ingest", stage.intake).code == .success)
            let unknown = Data([UInt8](repeating: 9, count: 32)).base64EncodedString()
            for words in [[unknown], ["device-9"], ["device-000001", "--app", "A1B2C3D4E5.com.example.other"]] {
                let told = try await stage.attestwatch.run(["explain"] + words)
                #expect(told.code == .attention && told.output.isEmpty)
                #expect(told.errors.contains("expected a key or a device on record") && told.errors.contains(words[0]))
                #expect(told.errors.contains("hint: "))
            }
            #expect(try await stage.attestwatch("explain").code == .usage)
        }
    }
}
