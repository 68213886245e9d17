import AppAttest

/// What a row of a back end's receipts may say: a member of a JSON object, or a column of CSV.
enum IngestColumn: String, CaseIterable, Hashable, Sendable {
    case appID = "app_id"
    case keyID = "key_id"
    case receipt
    case environment
    case deviceRef = "device_ref"
    case userRef = "user_ref"
    case attestedTime = "attested_time"

    /// As back ends write them.
    static let names = allCases.map(\.rawValue)
}

/// The texts of a row; none of them is understood yet.
struct IngestFields: Hashable, Sendable {
    private var texts: [IngestColumn: String] = [:]

    /// A row that says nothing.
    init() {}

    /// The text of a column; nil where the row says nothing.
    subscript(column: IngestColumn) -> String? {
        get { texts[column] }
        set { texts[column] = newValue }
    }

    /// Reads a line of JSON. A member that is null counts as absent.
    init(json text: [UInt8]) throws(IngestRejection) {
        let document: JSON5Document
        do throws(JSON5Error) {
            document = try JSON5Document(text, dialect: .json)
        } catch {
            throw .notJSON(error)
        }
        guard case .object(let members) = document.root.value else { throw .notAnObject(document.root.value.kind) }
        for member in members {
            guard let column = IngestColumn(rawValue: member.key) else {
                throw .unknownMember(member.key, nearest: nearestWord(to: member.key, among: IngestColumn.names))
            }
            switch member.node.value {
            case .null: break
            case .string(let text): self[column] = text
            case .bool(let value): throw .member(member.key, expected: "a string", found: "\(value)")
            case let value: throw .member(member.key, expected: "a string", found: value.kind)
            }
        }
    }

    /// Takes a record's fields by their columns; an empty one counts as absent.
    init(_ record: [[UInt8]], columns: [IngestColumn]) throws(IngestRejection) {
        guard record.count == columns.count else {
            throw .fieldCount(expected: columns.count, found: record.count)
        }
        for (column, bytes) in zip(columns, record) where !bytes.isEmpty {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .member(column.rawValue, expected: "UTF-8 text", found: "other bytes")
            }
            self[column] = text
        }
    }

    /// The App ID, where it is one; for naming a row that is rejected.
    var knownAppID: AppID? { self[.appID].flatMap(AppID.init) }
    /// The key identifier likewise.
    var knownKeyID: KeyIdentifier? { self[.keyID].flatMap(KeyIdentifierText.parse) }
}
