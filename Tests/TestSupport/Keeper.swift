import Foundation

/// A shell script that keeps something running until the value goes, `end()` is called or this process dies, whichever
/// comes first: the script's standard input ends then, and it cleans up.
final class Keeper {
    private let process = Process()
    private let input = Pipe()
    private let log = Pipe()

    /// Starts the script, with `arguments` as `$1` and so on, and waits until it or what it started has written `sign`.
    ///
    /// What refuses to run as root (PostgreSQL, pgbouncer) runs as the user that PostgreSQL's package made; `asRoot`
    /// leaves it to whoever runs the tests.
    init(_ script: String, _ arguments: [String], until sign: String, asRoot: Bool = false) throws {
        let words = ["sh", "-c", script, "keeper"] + arguments
        let command = asRoot ? words : Self.asPostgres(words)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = input
        process.standardOutput = log
        process.standardError = log
        try process.run()
        var text = ""
        while !text.contains(sign) {
            let piece = log.fileHandleForReading.availableData
            if piece.isEmpty {
                process.waitUntilExit()
                throw KeeperFailure(log: text)
            }
            text += String(decoding: piece, as: UTF8.self)
        }
    }

    deinit { end() }

    /// Ends what is kept and waits until that is done.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The words of a command that may not run as root.
    static func asPostgres(_ command: [String]) -> [String] {
        geteuid() == 0 ? ["runuser", "-u", "postgres", "--"] + command : command
    }

    /// Makes a folder with a short name, since the path of a socket may have 107 bytes (unix(7)), for who may not be
    /// root.
    static func makeFolder(_ name: String) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "attestwatch-\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if geteuid() == 0 {
            try FileManager.default.setAttributes([.ownerAccountName: "postgres"], ofItemAtPath: url.path)
        }
        return url
    }
}

/// What should have been kept running ended before it was ready, and this is what it said.
package struct KeeperFailure: Error {
    let log: String
}
