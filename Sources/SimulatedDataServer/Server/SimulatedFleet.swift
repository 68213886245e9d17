import OpenSSL

/// What the data server knows: every key and receipt it has handed out, and when each device attested.
struct SimulatedFleet {
    /// A key and whose it is.
    struct Key {
        /// SHA-256 of the public point.
        let keyID: [UInt8]
        /// The same in base64, as the ledger and scenarios have it.
        let keyText: String
        /// Field 3, DER.
        let certificate: [UInt8]
        /// Field 4 before it is mangled.
        let clientHash: [UInt8]
        /// Field 5.
        let token: String
        /// The number of its device.
        let device: Int
    }

    /// A device with one app.
    struct Device {
        /// The back end's opaque name.
        let deviceRef: String
        /// Field 2.
        let appID: String
        /// Where its keys were attested.
        let environment: SimulatedEnvironment
        /// Every attestation, seen by our back end or not.
        var attestations: [(time: SimulatedTime, count: Int)]

        /// The app's team: the App ID up to its first dot.
        var team: String { String(appID.prefix { $0 != "." }) }

        /// The risk metric at `now`: attestations of the last 30 days. 0 is what the data server has no answer for.
        func metric(at now: SimulatedTime) -> Int {
            let start = now.adding(days: -30)
            return attestations.filter { $0.time > start && $0.time <= now }.reduce(0) { $0 + $1.count }
        }
    }

    /// A receipt that was handed out.
    struct Receipt {
        /// The number of its key.
        let key: Int
        /// Field 12.
        let creationTime: SimulatedTime
        /// Nil for the receipt of an attestation.
        let notBefore: SimulatedTime?
    }

    /// All keys, by number.
    private(set) var keys: [Key] = []
    /// All devices, by number.
    private(set) var devices: [Device] = []
    private var receipts: [[UInt8]: Receipt] = [:]
    private var keyNumbers: [[UInt8]: Int] = [:]
    /// What a scenario counts its days from.
    let start: SimulatedTime

    /// The fleet of these populations and what a scenario adds.
    ///
    /// - Throws: `SimulatorError` when a time, a digest or a device in it cannot be made out.
    init(_ populations: [Population], scenario: Scenario) throws(SimulatorError) {
        start = populations.first?.mintedTime ?? SimulatedTime(seconds: 0)
        for population in populations {
            for device in population.devices { try add(device) }
        }
        for wrapped in scenario.attestations ?? [] {
            let entry = wrapped.value
            guard let device = devices.firstIndex(where: { $0.deviceRef == entry.deviceRef }) else {
                throw SimulatorError.unusableFile(
                    path: "scenario", expected: "device references of the population, found \(entry.deviceRef)")
            }
            let time = SimulatedTime(milliseconds: start.milliseconds + Int64(entry.atDay * 86_400_000))
            devices[device].attestations.append((time, entry.count))
        }
    }

    /// The receipt with this SHA-256, when it is one that was handed out.
    func receipt(digest: [UInt8]) -> Receipt? { receipts[digest] }

    /// The number of a key.
    func keyNumber(_ keyID: [UInt8]) -> Int? { keyNumbers[keyID] }

    /// Remembers a receipt that is handed out.
    mutating func handOut(digest: [UInt8], key: Int, creationTime: SimulatedTime) {
        receipts[digest] = Receipt(key: key, creationTime: creationTime, notBefore: creationTime.adding(days: 1))
    }

    private mutating func add(_ device: Population.Device) throws(SimulatorError) {
        var attestations: [(time: SimulatedTime, count: Int)] = []
        for entry in device.furtherAttestations {
            attestations.append((try time(entry.time, of: device), entry.count))
        }
        for key in device.keys {
            let attested = try time(key.attestedTime, of: device)
            attestations.append((attested, 1))
            guard let digest = octets(hexadecimal: key.receiptDigest) else {
                throw SimulatorError.unusableFile(
                    path: "population", expected: "64 hexadecimal digits in receipt_sha256 of \(device.deviceRef)")
            }
            receipts[digest] = Receipt(key: keys.count, creationTime: attested, notBefore: nil)
            keyNumbers[[UInt8](key.keyID)] = keys.count
            keys.append(
                Key(
                    keyID: [UInt8](key.keyID), keyText: key.keyID.base64EncodedString(),
                    certificate: [UInt8](key.certificate), clientHash: [UInt8](key.clientHash), token: key.token,
                    device: devices.count))
        }
        devices.append(
            Device(
                deviceRef: device.deviceRef, appID: device.appID, environment: device.environment,
                attestations: attestations))
    }

    private func time(_ text: String, of device: Population.Device) throws(SimulatorError) -> SimulatedTime {
        guard let time = SimulatedTime(text: text) else {
            throw SimulatorError.unusableFile(
                path: "population",
                expected: "an RFC 3339 time as Apple writes it at \(device.deviceRef), found \(text)")
        }
        return time
    }
}

/// The octets behind hexadecimal digits; nil when they are none.
func octets(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
