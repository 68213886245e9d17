import FoundationEssentials
import OpenSSL

/// What a population is to look like.
package struct PopulationPlan: Sendable {
    /// How many devices.
    package var devices: Int
    /// Keys of each that our back end has seen.
    package var keysPerDevice: Int
    /// The part of the devices, 0 to 1, that attests far more often than our back end sees, in the six days to come.
    package var heavyShare: Double
    /// The part of the devices, 0 to 1, that attested 25 days ago and never again.
    package var quietShare: Double
    /// Whose app.
    package var appID: String
    /// Where.
    package var environment: SimulatedEnvironment
    /// Starts the choice of times; the keys are random all the same.
    package var seed: UInt64

    /// Puts the plan together.
    package init(
        devices: Int, keysPerDevice: Int = 1, heavyShare: Double = 0, quietShare: Double = 0, appID: String,
        environment: SimulatedEnvironment, seed: UInt64 = 1
    ) {
        self.devices = devices
        self.keysPerDevice = keysPerDevice
        self.heavyShare = heavyShare
        self.quietShare = quietShare
        self.appID = appID
        self.environment = environment
        self.seed = seed
    }
}

/// A minted population and the first receipts of its keys.
package struct MintedPopulation: Sendable {
    /// For the simulator.
    package let population: Population
    /// For the back end, one line a key, as `attestwatch ingest` takes them.
    package let intake: [IntakeLine]

    /// A line of intake.
    package struct IntakeLine: Codable, Sendable {
        /// Whose app the key was attested for.
        package let appID: String
        /// SHA-256 of the public point.
        package let keyID: Data
        /// The receipt of the attestation.
        package let receipt: Data
        /// Where the key was attested.
        package let environment: SimulatedEnvironment
        /// The back end's opaque name of the device.
        package let deviceRef: String
        /// The back end's opaque name of its user.
        package let userRef: String
        /// When the key was attested, RFC 3339.
        package let attestedTime: String

        enum CodingKeys: String, CodingKey {
            case appID = "app_id"
            case keyID = "key_id"
            case receipt, environment
            case deviceRef = "device_ref"
            case userRef = "user_ref"
            case attestedTime = "attested_time"
        }
    }

    /// Writes the intake lines as newline-delimited JSON.
    package func writeIntake(_ path: String) throws(SimulatorError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes: [UInt8] = []
        do {
            for line in intake { bytes += try encoder.encode(line) + [UInt8(ascii: "\n")] }
        } catch { throw SimulatorError.unusableFile(path: path, expected: "values that JSON can hold") }
        try writeFile(path, bytes, mode: 0o600)
    }
}

extension SimulatedPKI {
    /// Mints a population as it stands at `now`: quiet devices attested 25 days ago, the others within the last day.
    ///
    /// Heavy and quiet devices are spread evenly; heavy ones come in three kinds, in turn: 4, 9 and 29 further
    /// attestations over the next six days, so that a reading on day 7 shows 5, 10 and 30 with one key a device.
    package mutating func mint(
        _ plan: PopulationPlan, now: SimulatedTime
    ) throws(SimulatorError) -> MintedPopulation {
        var generator = SplitMix64(state: plan.seed)
        var devices: [Population.Device] = []
        var intake: [MintedPopulation.IntakeLine] = []
        var (heavy, quiet) = (EvenShare(plan.heavyShare), EvenShare(plan.quietShare))
        for number in 1...max(1, plan.devices) {
            let isHeavy = heavy.takesNext()
            let isQuiet = quiet.takesNext(unless: isHeavy)
            let digits = String(number)
            let suffix = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
            var device = Population.Device(
                deviceRef: "device-\(suffix)", userRef: "user-\(suffix)", appID: plan.appID,
                environment: plan.environment, keys: [],
                furtherAttestations: isHeavy ? Self.heavyAttestations(heavy.taken, from: now) : [])
            for _ in 0..<plan.keysPerDevice {
                let age = Int64.random(in: 0..<86_400_000, using: &generator)
                let attested = SimulatedTime(milliseconds: now.milliseconds - age).adding(days: isQuiet ? -25 : 0)
                let (key, receipt) = try mintKey(plan, at: attested)
                device.keys.append(key)
                intake.append(
                    MintedPopulation.IntakeLine(
                        appID: plan.appID, keyID: key.keyID, receipt: Data(receipt), environment: plan.environment,
                        deviceRef: device.deviceRef, userRef: device.userRef, attestedTime: key.attestedTime))
            }
            devices.append(device)
        }
        return MintedPopulation(population: Population(mintedTime: now, devices: devices), intake: intake)
    }

    private mutating func mintKey(
        _ plan: PopulationPlan, at time: SimulatedTime
    ) throws(SimulatorError) -> (Population.Key, receipt: [UInt8]) {
        let key = try attestKey(appID: plan.appID, at: time)
        let content = ReceiptContent(
            appID: plan.appID, certificate: key.certificate, clientHash: key.clientHash, token: key.token,
            environment: plan.environment, creationTime: time, kind: .attest)
        let signer = try signer(at: time)
        let receipt = try cryptography { () throws(OpenSSLError) in try signer.envelope(content.encoded) }
        let record = Population.Key(
            keyID: Data(key.keyID), certificate: Data(key.certificate), clientHash: Data(key.clientHash),
            token: key.token, attestedTime: time.text, receiptDigest: hexadecimal(SHA256.digest(receipt)))
        return (record, receipt)
    }

    /// The further attestations of the so-manieth heavy device, on each of the next six days.
    private static func heavyAttestations(_ number: Int, from now: SimulatedTime) -> [Population.Attestations] {
        let total = [4, 9, 29][(number - 1) % 3]
        return (1...6).compactMap { day in
            let count = total * day / 6 - total * (day - 1) / 6
            return count == 0 ? nil : .init(time: now.adding(days: Int64(day)).text, count: count)
        }
    }
}

/// Takes a share of what comes by, spread evenly: of 1,000 with a share of 0.05 exactly 50, the 10th, 30th and so on.
private struct EvenShare {
    let share: Double
    private(set) var seen = 0
    private(set) var taken = 0

    init(_ share: Double) { self.share = share }

    /// Whether the next one is taken; one that is spoken for leaves its place to the one behind it.
    mutating func takesNext(unless isSpokenFor: Bool = false) -> Bool {
        seen += 1
        guard !isSpokenFor, Int((Double(seen) * share).rounded()) > taken else { return false }
        taken += 1
        return true
    }
}

/// Sebastiano Vigna's SplitMix64: the same numbers from the same seed on every machine.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
