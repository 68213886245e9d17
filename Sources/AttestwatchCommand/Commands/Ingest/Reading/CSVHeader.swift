/// The first record of CSV, which names the columns.
enum CSVHeader {
    /// The columns that have to be there, unless the command line says what stands for them.
    private static let required: [IngestColumn] = [.appID, .keyID, .receipt]

    /// The columns in their order.
    ///
    /// - Parameter given: columns that the command line stands in for.
    static func columns(
        _ record: CSVReader.Record?, given: Set<IngestColumn>
    ) throws(CSVHeaderError) -> [IngestColumn] {
        let names: [[UInt8]]
        switch record {
        case .none: throw .none
        case .damaged(let damage): throw .damaged(damage)
        case .fields(let fields): names = fields
        }
        var columns: [IngestColumn] = []
        for bytes in names {
            let name = String(decoding: bytes, as: UTF8.self)
            guard let column = IngestColumn(rawValue: name) else {
                throw .unknown(name, nearest: nearestWord(to: name, among: IngestColumn.names))
            }
            guard !columns.contains(column) else { throw .repeated(column) }
            columns.append(column)
        }
        for column in required where !columns.contains(column) && !given.contains(column) { throw .missing(column) }
        return columns
    }
}

/// Why the columns of CSV are not known.
enum CSVHeaderError: Error, Hashable, Sendable {
    /// There is no record at all.
    case none
    /// The record cannot be read.
    case damaged(CSVDamage)
    /// A column that means nothing.
    case unknown(String, nearest: String?)
    /// A column twice.
    case repeated(IngestColumn)
    /// A column that every row needs.
    case missing(IngestColumn)

    /// Expected and found. Of a name little is shown: without a header it is a value.
    var message: String {
        switch self {
        case .none: "expected a header line that names the columns, found nothing"
        case .damaged(let damage): "in the header line: \(damage.description)"
        case .unknown(let name, _):
            "expected a column among \(IngestColumn.names.joined(separator: ", ")), found '\(excerpt(name, limit: 20))'"
        case .repeated(let column): "expected column \(column.rawValue) once, found it again"
        case .missing(let column): "expected a column \(column.rawValue), found none"
        }
    }

    /// What to do about it.
    var hint: String {
        switch self {
        case .unknown(_, let nearest?): "did you mean '\(nearest)'?"
        case .missing(.appID): "name the app with --app where all rows are of one"
        case .none, .damaged, .unknown(_, nil), .repeated, .missing:
            "the first line names the columns, separated by commas: app_id,key_id,receipt"
        }
    }
}
