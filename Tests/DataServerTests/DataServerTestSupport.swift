import AppAttest
import DataServer
import OpenSSL
import Synchronization
import TestServers

/// A clock that stands where it was set.
final class ManualClock: WallClock {
    private let time: Mutex<Instant>

    init(_ time: Instant) {
        self.time = Mutex(time)
    }

    func now() -> Instant { time.withLock { $0 } }

    func set(_ now: Instant) { time.withLock { $0 = now } }
}

/// 2026-11-30T12:00:00Z, on the grid.
let noon = Instant(seconds: 1_796_040_000)

/// A team for tests.
func team() throws -> TeamID {
    try TeamID("A1B2C3D4E5").unwrapped()
}

/// An app of that team.
func app() throws -> AppID {
    try AppID("A1B2C3D4E5.com.example.app").unwrapped()
}

/// A new signing key.
func signingKey(_ id: String = "KEY1234567") throws -> SigningKey {
    try SigningKey(id: id, file: pem("PRIVATE KEY", ECPrivateKey(generatingOn: .p256).pkcs8()))
}

/// A PEM file with one block.
func pem(_ label: String, _ der: [UInt8]) -> [UInt8] {
    var text = "-----BEGIN \(label)-----\n"
    var rest = Substring(Base64.encode(der))
    while !rest.isEmpty {
        text += rest.prefix(64) + "\n"
        rest = rest.dropFirst(64)
    }
    return Array((text + "-----END \(label)-----\n").utf8)
}

extension Optional {
    /// The value, or an error that fails the test.
    func unwrapped() throws -> Wrapped {
        guard let self else { throw TestServerError("expected a value, found nil") }
        return self
    }
}
