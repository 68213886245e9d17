import OpenSSL
import System

/// The files that a simulator keeps in its directory.
package struct SimulatorFiles {
    /// The directory, made with mode 0700 where it is missing.
    package let directory: String

    /// Files under a directory.
    package init(directory: String) { self.directory = directory }

    /// The authorities whose keys are kept in `keys`.
    package func pki() throws(SimulatorError) -> SimulatedPKI {
        try system { () throws(SystemError) in try makeDirectories("\(directory)/keys") }
        return try SimulatedPKI(keys: KeyRing(directory: "\(directory)/keys"))
    }

    /// Writes the three roots as PEM and says where.
    func writeAnchors(
        _ pki: SimulatedPKI
    ) throws(SimulatorError) -> (tls: String, receipts: String, attestations: String) {
        (
            tls: try write("tls-ca.pem", "CERTIFICATE", pki.tlsRoot.certificate),
            receipts: try write("receipt-anchor.pem", "CERTIFICATE", pki.receiptRoot.certificate),
            attestations: try write("attestation-anchor.pem", "CERTIFICATE", pki.attestationRoot.certificate)
        )
    }

    /// Writes nginx's certificate and key.
    func writeTLS(_ pki: inout SimulatedPKI) throws(SimulatorError) -> (certificate: String, key: String) {
        let server = try pki.tlsServer()
        return (
            certificate: try write("tls-server.pem", "CERTIFICATE", server.certificate),
            key: try write("tls-server-key.pem", "PRIVATE KEY", server.key)
        )
    }

    /// Reads the clients' keys; without any, makes `AuthKey_SIMULATED1.p8` and so on, one for each team.
    mutating func clientKeys(
        _ files: [ServedSimulator.ClientKeyFile], teams: [String]
    ) throws(SimulatorError) -> [(key: AuthorizationCheck.ClientKey, file: ServedSimulator.ClientKeyFile)] {
        var keys: [(key: AuthorizationCheck.ClientKey, file: ServedSimulator.ClientKeyFile)] = []
        for file in files {
            keys.append((try clientKey(file, try publicKey(file.file)), file))
        }
        guard keys.isEmpty else { return keys }
        for (index, team) in teams.enumerated() {
            let identifier = "SIMULATED\(index + 1)"
            let file = ServedSimulator.ClientKeyFile(
                id: identifier, team: team, file: "\(directory)/AuthKey_\(identifier).p8")
            if !fileExists(file.file) {
                let der = try cryptography { () throws(OpenSSLError) in
                    try ECPrivateKey(generatingOn: .p256).pkcs8()
                }
                try writeFile(file.file, Array(PEM.encode("PRIVATE KEY", der).utf8), mode: 0o600)
            }
            keys.append((try clientKey(file, try publicKey(file.file)), file))
        }
        return keys
    }

    private func clientKey(
        _ file: ServedSimulator.ClientKeyFile, _ publicKey: ECPublicKey
    ) throws(SimulatorError) -> AuthorizationCheck.ClientKey {
        AuthorizationCheck.ClientKey(identifier: file.id, team: file.team, publicKey: publicKey)
    }

    /// The P-256 public key in a PEM file that holds it or its private half.
    private func publicKey(_ path: String) throws(SimulatorError) -> ECPublicKey {
        let text = String(decoding: try readFile(path), as: UTF8.self)
        if let der = PEM.decode("PUBLIC KEY", in: text) {
            // SubjectPublicKeyInfo of P-256 ends in the 65 octets of the uncompressed point.
            return try cryptography { () throws(OpenSSLError) in
                try ECPublicKey(point: Array(der.suffix(65)), curve: .p256)
            }
        }
        let key = try KeyRing.read(path)
        return try cryptography { () throws(OpenSSLError) in try key.publicKey() }
    }

    private func write(_ name: String, _ label: String, _ der: [UInt8]) throws(SimulatorError) -> String {
        let path = "\(directory)/\(name)"
        try writeFile(path, Array(PEM.encode(label, der).utf8), mode: label == "PRIVATE KEY" ? 0o600 : 0o644)
        return path
    }
}
