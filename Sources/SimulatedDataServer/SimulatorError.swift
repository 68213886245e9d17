import OpenSSL
import System

/// Why the simulator could not start or mint.
package enum SimulatorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A system call failed.
    case system(SystemError)
    /// A call into OpenSSL failed.
    case cryptography(OpenSSLError)
    /// A file does not hold what it should.
    case unusableFile(path: String, expected: String)
    /// A line of a JSON lines file does not hold what it should.
    case unusableLine(path: String, line: Int, expected: String)
    /// The command line is not understood.
    case usage(String)
    /// The HTTP server behind nginx could not start.
    case serverDidNotStart

    package var description: String {
        switch self {
        case .system(let error): error.description
        case .cryptography(let error): error.description
        case .unusableFile(let path, let expected): "\(path): expected \(expected)"
        case .unusableLine(let path, let line, let expected): "\(path):\(line): expected \(expected)"
        case .usage(let problem): problem
        case .serverDidNotStart: "the loopback server did not start"
        }
    }
}

/// Runs calls into OpenSSL and gives their failure the simulator's type.
func cryptography<Value>(_ body: () throws(OpenSSLError) -> Value) throws(SimulatorError) -> Value {
    do { return try body() } catch { throw .cryptography(error) }
}

/// Runs system calls and gives their failure the simulator's type.
func system<Value>(_ body: () throws(SystemError) -> Value) throws(SimulatorError) -> Value {
    do { return try body() } catch { throw .system(error) }
}

/// A whole file, at most 1 GiB.
func readFile(_ path: String) throws(SimulatorError) -> [UInt8] {
    try system { () throws(SystemError) in
        let file = try OpenFile.reading(path)
        return try file.readToEnd(limit: 1 << 30)
    }
}

/// Puts a whole file in place, made or replaced.
func writeFile(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o644) throws(SimulatorError) {
    try system { () throws(SystemError) in try System.replaceFile(path, bytes, mode: mode) }
}
