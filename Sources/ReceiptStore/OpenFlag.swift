import Postgres
import Refresh
import Risk

/// A subject's open flag, locked for this transaction.
struct OpenFlag {
    /// The flag's row.
    let flagID: Int64
    /// What a writer compares before it sets.
    let version: Int
    /// The level it stands at.
    let level: FlagLevel
    /// The highest reading since it was opened.
    let peakMetric: Int

    /// Reads and locks the open flags of these subjects, by subject.
    static func lock(
        _ subjects: Set<String>, on connection: borrowing Connection
    ) throws(PostgresError) -> [String: OpenFlag] {
        guard !subjects.isEmpty else { return [:] }
        var flags: [String: OpenFlag] = [:]
        var rows = try connection.run(.openFlags, [.texts(subjects.sorted())])
        while rows.next() {
            let subject: String = try rows.read()
            flags[subject] = OpenFlag(
                flagID: try rows.read(), version: try rows.read(), level: try rows.word(), peakMetric: try rows.read())
        }
        return flags
    }
}
