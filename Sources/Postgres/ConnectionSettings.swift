import CPostgres

/// Where a connection string leads, with libpq's own defaults and the PG* variables filled in.
package struct ConnectionSettings: Hashable, Sendable {
    /// Host names, addresses or socket folders, as written (several: separated by commas); nil for the default socket.
    package let host: String?
    /// Numeric addresses, which libpq connects to instead of looking `host` up.
    package let hostAddress: String?
    package let port: String?
    package let databaseName: String?
    package let user: String?
    /// The keywords of what libpq marks as secret and the string itself (not a variable, not a file) gives, in libpq's
    /// order: `password`, `sslpassword`.
    package let secrets: [String]
    /// The password file that was asked for; nil for `~/.pgpass`.
    package let passwordFile: String?
    /// `disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`.
    package let tlsMode: String?
    /// The service of `pg_service.conf`, whose settings libpq reads only when it connects.
    package let service: String?

    /// Reads a libpq string or URI; empty for the PG* variables alone.
    ///
    /// - Throws: `invalidConnectionString`.
    package static func parse(_ conninfo: String) throws(PostgresError) -> ConnectionSettings {
        let (written, secrets) = try options(of: conninfo)
        let defaults = unsafe taking(PQconndefaults()).values
        func value(_ keyword: String) -> String? { written[keyword] ?? defaults[keyword] }
        return ConnectionSettings(
            host: value("host"), hostAddress: value("hostaddr"), port: value("port"),
            databaseName: value("dbname"), user: value("user"), secrets: secrets,
            passwordFile: value("passfile"), tlsMode: value("sslmode"), service: value("service"))
    }

    /// Whether every host is this machine: a socket folder, or a loopback name or address.
    package var isLocal: Bool {
        guard service == nil else { return false }
        let places = (hostAddress ?? host ?? "").split(separator: ",")
        return places.allSatisfy { place in
            place.hasPrefix("/") || place.hasPrefix("@") || place == "localhost" || place == "::1"
                || Self.isLoopbackAddress(place)
        }
    }

    /// `127.` and three numbers more: RFC 1122 § 3.2.1.3.
    private static func isLoopbackAddress(_ place: Substring) -> Bool {
        let parts = place.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.dropFirst().allSatisfy { UInt8($0) != nil }
    }

    private static func options(
        of conninfo: String
    ) throws(PostgresError) -> (values: [String: String], secrets: [String]) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(conninfo, &message) else {
            defer { unsafe PQfreemem(message) }
            let text = unsafe message.map { unsafe String(cString: $0) } ?? "out of memory"
            throw .invalidConnectionString(message: text.firstLine.withoutQuotedParts)
        }
        return unsafe taking(options)
    }

    /// The set options of libpq's list, which is freed, and which of them are secret.
    private static func taking(
        _ options: UnsafeMutablePointer<PQconninfoOption>?
    ) -> (values: [String: String], secrets: [String]) {
        guard let options = unsafe options else { return ([:], []) }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var secrets: [String] = []
        var next = unsafe options
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val, unsafe value.pointee != 0 {
                let name = unsafe String(cString: keyword)
                values[name] = unsafe String(cString: value)
                // libpq, PQconninfoOption: the field is to be hidden in a dialogue.
                if let mark = unsafe next.pointee.dispchar, unsafe mark.pointee == CChar(UInt8(ascii: "*")) {
                    secrets.append(name)
                }
            }
            unsafe next += 1
        }
        return (values, secrets)
    }
}
