import Glibc
import HTTP
import TestServers

/// What every test here sends.
func request(to url: String, headers: RequestHeaders? = nil, body: [UInt8] = Array("body".utf8)) throws -> HTTPRequest {
    let headers = try headers ?? RequestHeaders([(name: "Content-Type", value: "text/plain")]).unwrapped()
    return HTTPRequest(url: url, headers: headers, body: body)
}

/// A client that trusts one test authority.
func client(_ authority: TestAuthority? = nil, totalMilliseconds: Int = 30_000) throws -> HTTPClient {
    var settings = HTTPSettings(userAgent: "attestwatch/0", certificateAuthorityFile: authority?.certificateFile)
    settings.totalMilliseconds = totalMilliseconds
    return try HTTPClient(settings)
}

/// Runs `body` with a server that misbehaves and a client that trusts it.
func withFault(
    _ fault: String, count: Int? = nil, totalMilliseconds: Int = 30_000,
    _ body: (LoopbackServer, HTTPClient) async throws -> Void
) async throws {
    try await TestAuthority.with { authority in
        try await LoopbackServer.withFault(fault, count: count, authority.issue()) { server in
            try await body(server, client(authority, totalMilliseconds: totalMilliseconds))
        }
    }
}

/// Runs `body` with an nginx and a client that trusts it.
func withNginx(
    inner: String = "", outer: String = "", totalMilliseconds: Int = 30_000,
    _ body: (LoopbackServer, HTTPClient) async throws -> Void
) async throws {
    try await TestAuthority.with { authority in
        try await LoopbackServer.withNginx(authority.issue(), inner: inner, outer: outer) { server in
            try await body(server, client(authority, totalMilliseconds: totalMilliseconds))
        }
    }
}

/// Sends and expects to fail.
func failure(_ client: HTTPClient, _ request: HTTPRequest) async throws -> HTTPError {
    do throws(HTTPError) {
        let response = try await client.send(request)
        throw .notSendable("expected a failure, found status \(response.status)")
    } catch {
        return error
    }
}

extension Optional {
    /// The value, or an error that fails the test.
    func unwrapped() throws -> Wrapped {
        guard let self else { throw TestServerError("expected a value, found nil") }
        return self
    }
}

/// The case of an error without its text, to compare by.
func kind(_ error: HTTPError) -> String {
    switch error {
    case .nameResolution: "nameResolution"
    case .connection: "connection"
    case .tls: "tls"
    case .timeout: "timeout"
    case .proxy: "proxy"
    case .cut: "cut"
    case .refusedStream: "refusedStream"
    case .tooLarge: "tooLarge"
    case .notSendable: "notSendable"
    }
}

/// Names the proxy in this process's environment, for all hosts; only for a process of its own.
func useProxy(_ url: String?) {
    for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] {
        _ = unsafe unsetenv(name)
    }
    if let url { _ = unsafe setenv("https_proxy", url, 1) }
}
