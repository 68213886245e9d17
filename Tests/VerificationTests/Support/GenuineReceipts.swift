import AppAttest
import Foundation
import Testing
import Verification

/// Receipts that Apple made, read in place from the folder that `ATTESTWATCH_GENUINE` names.
struct GenuineReceipts {
    /// One receipt with what is expected of it.
    struct Sample: CustomStringConvertible {
        let name: String
        let bytes: ReceiptBytes
        let isValid: Bool
        let facts: Facts

        var description: String { name }
    }

    /// The part of `expected.json` that these tests read.
    struct Facts: Decodable {
        struct Message: Decodable {
            let atCreationTime: Bool
            let atCreationError: String?
        }
        struct Certificate: Decodable {
            let subject: String
            let issuer: String
            let serial: String
            let notBefore: String
            let notAfter: String
        }

        let name: String
        let file: String
        let kind: String
        let appId: String?
        let keyId: String?
        let environment: String?
        let receiptType: String?
        let encoding: String?
        let certificates: [Certificate]?
        let opensslCmsVerify: Message?
    }

    /// The folder, where there is one.
    static var folder: URL? {
        ProcessInfo.processInfo.environment["ATTESTWATCH_GENUINE"].map { URL(filePath: $0) }
    }

    /// Whether tests that need the folder have to fail without it.
    static var areRequired: Bool { ProcessInfo.processInfo.environment["ATTESTWATCH_REQUIRE_GENUINE"] == "1" }

    /// Every receipt of the folder.
    static func all() throws -> [Sample] {
        let folder = try #require(folder, "ATTESTWATCH_GENUINE names the folder of genuine receipts")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let json = try Data(contentsOf: folder.appending(path: "expected.json"))
        let expected = try decoder.decode([Facts].self, from: json)
        let samples = try expected.filter { $0.kind == "receipt" }.map { facts in
            let text = try Data(contentsOf: folder.appending(path: facts.file))
            return Sample(
                name: facts.name, bytes: try ReceiptBytes(anyFlavour: Array(text)),
                isValid: facts.opensslCmsVerify?.atCreationTime == true, facts: facts)
        }
        try #require(!samples.isEmpty)
        return samples
    }

    /// The PEM file of one of Apple's roots.
    static func root(_ name: String) throws -> [UInt8] {
        let folder = try #require(folder, "ATTESTWATCH_GENUINE names the folder of genuine receipts")
        return Array(try Data(contentsOf: folder.appending(path: "roots").appending(path: name)))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where there are no genuine receipts, unless they are required.
    static var needsGenuineReceipts: Self {
        .enabled(if: GenuineReceipts.folder != nil || GenuineReceipts.areRequired, "no genuine receipts")
    }
}

extension GenuineReceipts.Sample {
    /// What the receipt itself says, to be expected of it.
    func expectation() throws -> ExpectedReceipt {
        ExpectedReceipt(
            appID: try #require(facts.appId.flatMap { AppID($0) }),
            keyID: try #require(facts.keyId.flatMap { KeyIdentifier(Array(Data(base64Encoded: $0) ?? Data())) }),
            environments: [try #require(facts.environment.flatMap { Environment(receiptField: $0) })])
    }
}
