import OpenSSL
import System

/// The simulator's private keys by name: kept in a folder, for the next start, or in memory alone.
package struct KeyRing {
    private let directory: String?
    private var keys: [String: ECPrivateKey] = [:]

    /// Keys in `directory`, one `NAME.pem` each (PKCS#8, mode 0600); nil keeps them in memory.
    package init(directory: String?) { self.directory = directory }

    /// The key of that name, made when there is none yet.
    ///
    /// - Throws: `SimulatorError` when the file cannot be read or written, or holds no key.
    package mutating func key(_ name: String, curve: Curve) throws(SimulatorError) -> ECPrivateKey {
        if let known = keys[name] { return known }
        let key = try readOrMake(name, curve: curve)
        keys[name] = key
        return key
    }

    /// Where the key of that name is kept; nil in memory.
    package func path(_ name: String) -> String? { directory.map { "\($0)/\(name).pem" } }

    private func readOrMake(_ name: String, curve: Curve) throws(SimulatorError) -> ECPrivateKey {
        guard let path = path(name) else {
            return try cryptography { () throws(OpenSSLError) in try .init(generatingOn: curve) }
        }
        if fileExists(path) { return try Self.read(path) }
        let (key, der) = try cryptography { () throws(OpenSSLError) in
            let key = try ECPrivateKey(generatingOn: curve)
            return (key, try key.pkcs8())
        }
        try writeFile(path, Array(PEM.encode("PRIVATE KEY", der).utf8), mode: 0o600)
        return key
    }

    /// The key in a PKCS#8 PEM file.
    static func read(_ path: String) throws(SimulatorError) -> ECPrivateKey {
        let text = String(decoding: try readFile(path), as: UTF8.self)
        guard let der = PEM.decode("PRIVATE KEY", in: text) else {
            throw SimulatorError.unusableFile(path: path, expected: "a private key in PEM, PKCS#8")
        }
        return try cryptography { () throws(OpenSSLError) in try ECPrivateKey(pkcs8: der) }
    }
}
