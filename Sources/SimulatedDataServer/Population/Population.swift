import FoundationEssentials
import System

/// The devices that a simulator knows, as `population.jsonl` holds them: a line about all, then one a device.
package struct Population: Sendable {
    /// When it was minted: what a scenario counts its days from.
    package var mintedTime: SimulatedTime
    /// The devices, in order.
    package var devices: [Device]

    /// A device with one app on it.
    package struct Device: Codable, Sendable {
        /// The back end's opaque name of the device, for instance `device-000001`.
        package var deviceRef: String
        /// The back end's opaque name of who uses it.
        package var userRef: String
        /// Team identifier, dot, bundle identifier.
        package var appID: String
        /// Where its keys were attested.
        package var environment: SimulatedEnvironment
        /// The attested keys that our back end has seen.
        package var keys: [Key]
        /// Attestations of the app on the device that our back end has not seen, past and to come.
        package var furtherAttestations: [Attestations]

        enum CodingKeys: String, CodingKey {
            case deviceRef = "device_ref"
            case userRef = "user_ref"
            case appID = "app_id"
            case environment
            case keys
            case furtherAttestations = "further_attestations"
        }
    }

    /// An attested key.
    package struct Key: Codable, Sendable {
        /// SHA-256 of the public point.
        package var keyID: Data
        /// The attested certificate, DER.
        package var certificate: Data
        /// What the app gave to attestKey.
        package var clientHash: Data
        /// Field 5.
        package var token: String
        /// When it was attested, RFC 3339.
        package var attestedTime: String
        /// SHA-256 of its first receipt, hexadecimal.
        package var receiptDigest: String

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case certificate
            case clientHash = "client_hash"
            case token
            case attestedTime = "attested_time"
            case receiptDigest = "receipt_sha256"
        }
    }

    /// So many attestations at one time.
    package struct Attestations: Codable, Sendable {
        /// When, RFC 3339.
        package var time: String
        /// How many.
        package var count: Int
    }

    private struct Header: Codable {
        let mintedTime: String

        enum CodingKeys: String, CodingKey {
            case mintedTime = "minted_time"
        }
    }

    /// A population of these devices.
    package init(mintedTime: SimulatedTime, devices: [Device]) {
        self.mintedTime = mintedTime
        self.devices = devices
    }

    /// Reads `population.jsonl`.
    ///
    /// - Throws: `SimulatorError` that names the line that is not what it should be.
    package init(file path: String) throws(SimulatorError) {
        let lines = try readFile(path).split(separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        guard let first = lines.first, let header = try? decoder.decode(Header.self, from: Data(first)),
            let mintedTime = SimulatedTime(text: header.mintedTime)
        else { throw SimulatorError.unusableLine(path: path, line: 1, expected: "an object with minted_time") }
        self.mintedTime = mintedTime
        devices = []
        devices.reserveCapacity(lines.count - 1)
        for (number, line) in lines.enumerated().dropFirst() {
            guard let device = try? decoder.decode(Device.self, from: Data(line)) else {
                throw SimulatorError.unusableLine(path: path, line: number + 1, expected: "a device of a population")
            }
            devices.append(device)
        }
    }

    /// Writes `population.jsonl`.
    package func write(_ path: String) throws(SimulatorError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes: [UInt8] = []
        do {
            bytes += try encoder.encode(Header(mintedTime: mintedTime.text)) + [UInt8(ascii: "\n")]
            for device in devices { bytes += try encoder.encode(device) + [UInt8(ascii: "\n")] }
        } catch { throw SimulatorError.unusableFile(path: path, expected: "values that JSON can hold") }
        try writeFile(path, bytes)
    }
}
