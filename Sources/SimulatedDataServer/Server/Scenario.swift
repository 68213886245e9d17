import FoundationEssentials

/// What happens while the simulator runs, as a JSON file says it. Days are counted from the minting of the population.
///
///     {"attestations": [{"device_ref": "device-000007", "at_day": 3.5, "count": 12}],
///      "faults": [{"match": {"first_request": 5, "last_request": 9}, "status": 429, "retry_after": "120"},
///                 {"match": {"device_refs": ["device-000002"]}, "body": "changed_metric", "times_a_key": 1},
///                 {"match": {"share": 0.1, "from_day": 2}, "status": 503, "delay_ms": 200, "times": 40}],
///      "receipt_days": 90}
///
/// Every part is optional, an unknown one is an error. The first fault that matches a request and is not used up plays.
package struct Scenario: Decodable, Sendable, KnownKeys {
    /// Attestations beyond those of the population.
    let attestations: [Strict<FurtherAttestations>]?
    /// Faults, the first match first.
    let faults: [Strict<Fault>]?
    /// For how many days the receipts are good that are answered.
    let receiptDays: Int?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case attestations, faults
        case receiptDays = "receipt_days"
    }

    /// Attestations of one device that our back end does not see.
    struct FurtherAttestations: Decodable, Sendable, KnownKeys {
        /// Which device.
        let deviceRef: String
        /// When, in days after minting.
        let atDay: Double
        /// How many.
        let count: Int

        enum CodingKeys: String, CodingKey, CaseIterable {
            case deviceRef = "device_ref"
            case atDay = "at_day"
            case count
        }
    }

    /// Nothing but what the population does.
    package static let empty = Scenario(attestations: nil, faults: nil, receiptDays: nil)

    private init(attestations: [Strict<FurtherAttestations>]?, faults: [Strict<Fault>]?, receiptDays: Int?) {
        self.attestations = attestations
        self.faults = faults
        self.receiptDays = receiptDays
    }

    /// Reads a scenario file.
    package init(file path: String) throws(SimulatorError) {
        let bytes = try readFile(path)
        do {
            self = try JSONDecoder().decode(Strict<Scenario>.self, from: Data(bytes)).value
        } catch let DecodingError.dataCorrupted(context) {
            throw SimulatorError.unusableFile(path: path, expected: "a scenario: \(context.debugDescription)")
        } catch {
            throw SimulatorError.unusableFile(path: path, expected: "a scenario: \(error)")
        }
    }
}

/// A type that can name all keys its JSON object may have.
protocol KnownKeys: Decodable {
    associatedtype CodingKeys: CodingKey, CaseIterable
}

/// Decodes a value and refuses keys that it does not know.
struct Strict<Value: KnownKeys & Sendable>: Decodable, Sendable {
    /// What was decoded.
    let value: Value

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let known = Set(Value.CodingKeys.allCases.map(\.stringValue))
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
            let problem = "expected one of \(known.sorted().joined(separator: ", ")), found \(key.stringValue)"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
        }
        value = try Value(from: decoder)
    }
}
