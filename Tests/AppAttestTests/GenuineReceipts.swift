import AppAttest
import Foundation
import Testing

/// A genuine receipt and what is known of it, from the folder that ATTESTWATCH_GENUINE names.
struct GenuineReceipt: Decodable {
    /// What is known of one field.
    struct Field: Decodable {
        let version: Int
        let len: Int
        let value: String?
        let base64: String?
        let sha256: String?
    }

    let name: String
    let file: String
    let size: Int
    let encoding: String
    let econtentChunks: [Int]
    let fieldOrder: [Int]
    let fields: [String: Field]
    let cms: Signature
    let certificates: [Certificate]

    /// What is known of the signature's shape.
    struct Signature: Decodable {
        let signedAttrsPresent: Bool
    }

    /// What is known of an embedded certificate.
    struct Certificate: Decodable {
        let sha256: String
        let serial: String
    }

    /// The folder; nil where there is none.
    static let folder = ProcessInfo.processInfo.environment["ATTESTWATCH_GENUINE"]
    /// Whether a missing folder is a failure.
    static let isRequired = ProcessInfo.processInfo.environment["ATTESTWATCH_REQUIRE_GENUINE"] == "1"

    /// Every receipt of the folder.
    static func all() throws -> [GenuineReceipt] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode([Entry].self, from: data("expected.json")).compactMap(\.receipt)
    }

    /// The base64 text as it stands in its file.
    func text() throws -> [UInt8] { Array(try GenuineReceipt.data(file)) }

    /// The raw bytes.
    func bytes() throws -> [UInt8] { try ReceiptBytes(anyFlavour: text()).bytes }

    /// One entry of the list, which speaks of other things too.
    private struct Entry: Decodable {
        enum CodingKeys: CodingKey { case kind }

        let receipt: GenuineReceipt?

        init(from decoder: any Decoder) throws {
            let kind = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .kind)
            receipt = kind == "receipt" ? try GenuineReceipt(from: decoder) : nil
        }
    }

    private static func data(_ path: String) throws -> Data {
        let folder = try #require(folder, "ATTESTWATCH_GENUINE names no folder")
        return try Data(contentsOf: URL(filePath: folder).appending(path: path))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips where there are no genuine receipts, unless they are required.
    static var genuine: Self {
        .enabled(if: GenuineReceipt.folder != nil || GenuineReceipt.isRequired, "no genuine receipts")
    }
}
