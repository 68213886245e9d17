import CPostgres

/// One connection to a server. Not Sendable; a `Database` owns it.
///
/// Every statement is unnamed and nothing is kept in the session, so a transaction-mode pooler may stand in between.
@safe package struct Connection: ~Copyable {
    /// libpq's connection, nobody else's: `deinit` closes it.
    private let handle: OpaquePointer

    /// Connects; blocks until that is done or has failed.
    ///
    /// - Parameter conninfo: a libpq string or URI; empty for the PG* variables.
    package init(_ conninfo: String) throws(PostgresError) {
        _ = try ConnectionSettings.parse(conninfo)
        // What stands before `dbname` is a default for the string, what stands behind it overrules it
        // (libpq, PQconnectdbParams with expand_dbname).
        let options = [
            ("connect_timeout", "10"), ("keepalives_idle", "60"), ("tcp_user_timeout", "60000"),
            ("fallback_application_name", "attestwatch"), ("dbname", conninfo), ("client_encoding", "UTF8"),
        ]
        guard let handle = unsafe Self.connect(options) else {
            throw .connectionFailed(message: "out of memory")
        }
        unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            let message = unsafe String(cString: PQerrorMessage(handle)).firstLine
            unsafe PQfinish(handle)
            throw .connectionFailed(message: message)
        }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe PQfinish(handle) }

    private static func connect(_ options: [(String, String)]) -> OpaquePointer? {
        unsafe withCStrings(options.map(\.0)) { keywords in
            unsafe withCStrings(options.map(\.1)) { values in
                unsafe PQconnectdbParams(keywords + [nil], values + [nil], 1)
            }
        }
    }

    /// False once the connection is broken.
    package var isUsable: Bool { unsafe PQstatus(handle) == CONNECTION_OK }

    /// The server process as the startup message named it. A pooler names one of its own invention.
    package var announcedProcess: Int { Int(unsafe PQbackendPID(handle)) }

    /// The server's version as a number, 150018 for 15.18 (libpq, PQserverVersion).
    package var serverVersion: Int { Int(unsafe PQserverVersion(handle)) }

    /// Whom it is connected to: the folder of a socket, or a host's name or address as it was asked for.
    package var host: String { unsafe PQhost(handle).map { unsafe String(cString: $0) } ?? "" }

    /// The version of TLS in use, such as `TLSv1.3`; nil without TLS.
    package var tlsVersion: String? {
        guard unsafe PQsslInUse(handle) == 1 else { return nil }
        return unsafe PQsslAttribute(handle, "protocol").map { unsafe String(cString: $0) }
    }

    /// The socket, for who has to end a call that waits for the server.
    var socket: Int32 { unsafe PQsocket(handle) }

    /// Runs one statement with parameters and gives its rows.
    @discardableResult
    package func run(_ query: Query, _ parameters: [Parameter] = []) throws(PostgresError) -> Rows {
        let encoded = EncodedParameters(parameters)
        let result = unsafe encoded.buffer.withUnsafeBytes { buffer in
            // An empty buffer has no address, and a NULL pointer would be SQL's NULL.
            let base = unsafe buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            let values = unsafe encoded.offsets.map { offset in
                unsafe offset.flatMap { unsafe base?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            let formats = [Int32](repeating: 1, count: encoded.types.count)
            return unsafe PQexecParams(
                handle, query.text, Int32(encoded.types.count), encoded.types, values, encoded.lengths, formats, 1)
        }
        return try unsafe checked(result, queryName: query.name)
    }

    /// Runs a text of one or more statements without parameters (the simple protocol); rows are dropped.
    ///
    /// Several statements outside of BEGIN and COMMIT are one transaction.
    package func runScript(_ script: Query) throws(PostgresError) {
        _ = try unsafe checked(PQexec(handle, script.text), queryName: script.name)
    }

    /// Whether a statement can be prepared: its syntax, and every table, column and type it names.
    package func prepare(_ query: Query) throws(PostgresError) {
        _ = try unsafe checked(PQprepare(handle, "", query.text, 0, nil), queryName: query.name)
    }

    private func checked(_ result: OpaquePointer?, queryName: String) throws(PostgresError) -> Rows {
        guard let result = unsafe result else {
            throw .connectionLost(query: queryName, message: unsafe String(cString: PQerrorMessage(handle)).firstLine)
        }
        let rows = unsafe Rows(owning: result, queryName: queryName)
        let status = unsafe PQresultStatus(result)
        if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY { return rows }
        let sqlState = unsafe PQresultErrorField(result, Self.sqlStateField).map { unsafe String(cString: $0) }
        let primary = unsafe PQresultErrorField(result, Self.primaryMessageField)
        let message = unsafe String(cString: primary ?? PQresultErrorMessage(result))
        guard let sqlState, isUsable || sqlState.hasPrefix("57P") else {
            throw .connectionLost(query: queryName, message: message.firstLine)
        }
        throw .queryFailed(query: queryName, sqlState: sqlState, message: message.firstLine)
    }

    // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY of postgres_ext.h, which are character macros.
    private static let sqlStateField = Int32(UInt8(ascii: "C"))
    private static let primaryMessageField = Int32(UInt8(ascii: "M"))
}

/// Lends the texts as C strings; none may be kept beyond `body`.
private func withCStrings<Value>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Value
) -> Value {
    func lend(_ rest: ArraySlice<String>, _ lent: [UnsafePointer<CChar>?]) -> Value {
        guard let first = rest.first else { return unsafe body(lent) }
        return unsafe first.withCString { pointer in
            unsafe lend(rest.dropFirst(), lent + [pointer])
        }
    }
    return unsafe lend(texts[...], [])
}
