/// A value for `$n` in a query, sent in PostgreSQL's binary format with its type stated. Nil is NULL.
package enum Parameter: Sendable {
    /// boolean
    case bool(Bool?)
    /// bigint; PostgreSQL narrows it on assignment and says so when it does not fit.
    case int(Int64?)
    /// text, without NUL
    case text(String?)
    /// bytea
    case bytes([UInt8]?)
    /// timestamptz
    case time(Timestamp?)
    /// boolean[]; the arrays are for `unnest`, one statement for a whole batch.
    case bools([Bool?])
    /// bigint[]
    case ints([Int64?])
    /// text[]
    case texts([String?])
    /// bytea[]
    case bytesArray([[UInt8]?])
    /// timestamptz[]
    case times([Timestamp?])
}
