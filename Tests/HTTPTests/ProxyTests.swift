import HTTP
import TestServers
import Testing

/// Each test changes the environment and therefore runs in a process of its own.
@Suite("The way out")
struct ProxyTests {
    @Test("a proxy named by the usual variable and not listening is a proxy error")
    func refusedProxy() async {
        await #expect(processExitsWith: .success) {
            useProxy("http://127.0.0.1:1")
            try await ProxyTests.expectFailure("proxy", client(), host: "data.attestwatch.invalid")
        }
    }

    @Test("a proxy that does not let us through is a proxy error")
    func forbiddingProxy() async {
        await #expect(processExitsWith: .success) {
            try await withFault("forbid") { server, client in
                useProxy("http://127.0.0.1:\(server.port)")
                try await ProxyTests.expectFailure("proxy", client, host: "data.attestwatch.invalid")
            }
        }
    }

    @Test("a name without an address is a name error")
    func noAddress() async {
        await #expect(processExitsWith: .success) {
            useProxy(nil)
            try await ProxyTests.expectFailure("nameResolution", client(), host: "does-not-exist.invalid")
        }
    }

    /// An error thrown in the process of an exit test makes it end badly, and its words are shown.
    static func expectFailure(_ expected: String, _ client: HTTPClient, host: String) async throws {
        let error = try await failure(client, request(to: "https://\(host)/"))
        guard kind(error) == expected else {
            throw TestServerError("expected \(expected), found \(kind(error)): \(error)")
        }
    }
}
