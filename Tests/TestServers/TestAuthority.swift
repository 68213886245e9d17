import Foundation

/// A certificate authority made for one test, in a folder that goes with the closure.
public struct TestAuthority {
    private let folder: String

    /// Makes the authority's key and certificate with the `openssl` command, and removes both after `body`.
    public static func with<Result>(_ body: (TestAuthority) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("attestwatch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = TestAuthority(folder: folder.path)
        try authority.openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key",
            "-out", "ca.pem", "-subj", "/CN=attestwatch test authority", "-days", "2")
        return try await body(authority)
    }

    /// The PEM file of the authority's certificate.
    public var certificateFile: String { "\(folder)/ca.pem" }

    /// Issues a server certificate; with `days` below zero it has expired already.
    public func issue(_ name: String = "server", alternativeName: String = "IP:127.0.0.1", days: Int = 2) throws
        -> TestIdentity
    {
        try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        try "subjectAltName = \(alternativeName)\n".write(
            toFile: "\(folder)/\(name)/extensions", atomically: true, encoding: .utf8)
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(name)/server.key",
            "-out", "\(name)/request.pem", "-subj", "/CN=\(name)")
        try openssl(
            "x509", "-req", "-in", "\(name)/request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", "\(name)/server.pem", "-days", "\(days)", "-extfile", "\(name)/extensions")
        return TestIdentity(folder: "\(folder)/\(name)")
    }

    private func openssl(_ arguments: String...) throws {
        _ = try runOpenSSL(arguments, folder: folder)
    }
}

/// A server's certificate (`server.pem`) and key (`server.key`) in a folder of their own.
public struct TestIdentity {
    /// Where the two files are.
    public let folder: String
}
