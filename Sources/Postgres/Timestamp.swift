/// A `timestamptz` as PostgreSQL holds it, turned to the Unix epoch: whole microseconds since 1970-01-01T00:00:00Z.
package struct Timestamp: Hashable, Sendable {
    /// Microseconds since the Unix epoch.
    package let unixMicroseconds: Int64

    /// A time so many microseconds after the Unix epoch.
    package init(unixMicroseconds: Int64) {
        self.unixMicroseconds = unixMicroseconds
    }

    /// 2000-01-01T00:00:00Z, from where PostgreSQL counts in its binary format.
    static let serverEpoch: Int64 = 946_684_800_000_000
}
