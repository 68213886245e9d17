import AppAttest
import DataServer
import HTTP
import Refresh
import TestServers
import Testing

@Suite("Requests to a data server over TLS and HTTP/2")
struct DataServerClientTests {
    private let receipt = ReceiptBytes((0..<3_900).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    /// Answers with the body that it was sent, unless the checks before say otherwise.
    private func echo(_ checks: String) -> String {
        """
        location / {
            \(checks)
            proxy_set_header X-Body $request_body;
            proxy_pass http://unix:inner.sock:/echo;
        }
        location /echo { add_header X-B3-TraceId 4f1c9a; return 200 "$http_x_body\\n"; }
        """
    }

    /// The first part of a JWT made with this key.
    private func jwtHeader(_ keyID: String) -> String {
        Base64.encodeURLSafe(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
    }

    private func client(
        _ authority: TestAuthority, _ server: LoopbackServer, keys: [String] = ["KEY1234567"],
        scheme: AuthorizationScheme = .bare
    ) throws -> DataServerClient {
        let settings = HTTPSettings(userAgent: "attestwatch/0", certificateAuthorityFile: authority.certificateFile)
        let endpoint = try DataServerClient.Endpoint(url: server.url("/v1/data"), client: HTTPClient(settings))
        let app = try DataServerClient.App(id: app(), team: team(), signingKeys: keys.map { try signingKey($0) })
        return try DataServerClient(
            endpoints: [.production: endpoint], apps: [app], scheme: scheme, clock: ManualClock(noon))
    }

    @Test("the receipt arrives as base64 in one piece, and the answer is read", arguments: AuthorizationScheme.allCases)
    func roundTrip(scheme: AuthorizationScheme) async throws {
        let before = scheme == .bare ? "" : "Bearer "
        let checks = """
            if ($http_authorization !~ "^\(before)[-_A-Za-z0-9]+\\.[-_A-Za-z0-9]+\\.[-_A-Za-z0-9]+$") { return 401; }
            if ($http_content_type != "application/octet-stream") { return 415; }
            if ($request_uri != "/v1/data") { return 404; }
            """
        try await TestAuthority.with { authority in
            try await LoopbackServer.withNginx(authority.issue(), inner: echo(checks)) { server in
                let client = try client(authority, server, scheme: scheme)
                let reply = try await client.send(receipt, app: app(), environment: .production)
                #expect(reply.reply == .receipt(receipt))
                #expect(reply.traceID == "4f1c9a")
                #expect(reply.date != nil)
            }
        }
    }

    @Test("after giving up nothing is sent, with either key")
    func givenUp() async throws {
        try await TestAuthority.with { authority in
            try await LoopbackServer.withNginx(authority.issue(), inner: echo("")) { server in
                let client = try client(authority, server, keys: ["KEY1111111", "KEY2222222"])
                client.giveUp()
                for _ in 0..<2 {
                    let reply = try await client.send(receipt, app: app(), environment: .production)
                    #expect(reply.reply == .unreachable(.cut))
                }
            }
        }
    }

    @Test("a receipt for which the first key was refused is signed with the second, which goes first from then on")
    func secondKey() async throws {
        let checks = "if ($http_authorization !~ \"^\(jwtHeader("KEY2222222"))\") { return 401; }"
        try await TestAuthority.with { authority in
            try await LoopbackServer.withNginx(authority.issue(), inner: echo(checks)) { server in
                let both = try client(authority, server, keys: ["KEY1111111", "KEY2222222"])
                let first = try await both.send(receipt, app: app(), environment: .production)
                #expect(first.reply == .unauthorized && first.refusedKey == 0)
                for refusedKeys: Set<Int> in [[0], []] {
                    let reply = try await both.send(
                        receipt, app: app(), environment: .production, refusedKeys: refusedKeys)
                    #expect(reply.reply == .receipt(receipt) && reply.refusedKey == nil)
                }
                let wrong = try client(authority, server, keys: ["KEY1111111", "KEY3333333"])
                let last = try await wrong.send(receipt, app: app(), environment: .production, refusedKeys: [0])
                #expect(last.reply == .unauthorized && last.refusedKey == nil)
                let none = try await wrong.send(receipt, app: app(), environment: .production, refusedKeys: [0, 1])
                #expect(none.status == nil && none.excerpt == "every signing key of this app has been refused")
            }
        }
    }

    @Test("fault 13: two apps of one team send one and the same JWT, an app of another team its own")
    func sharedJWT() async throws {
        // The signature, which no second signing would repeat, comes back as the answer.
        let inner = """
            if ($http_authorization ~ "\\.([-_A-Za-z0-9]{86})$") { set $signature $1; }
            return 200 "$signature";
            """
        try await TestAuthority.with { authority in
            try await LoopbackServer.withNginx(authority.issue(), inner: inner) { server in
                let settings = HTTPSettings(
                    userAgent: "attestwatch/0", certificateAuthorityFile: authority.certificateFile)
                let endpoint = try DataServerClient.Endpoint(url: server.url(), client: HTTPClient(settings))
                let key = try signingKey()
                let apps = try ["A1B2C3D4E5.com.example.one", "A1B2C3D4E5.com.example.two", "ZZZZZZZZZZ.com.example"]
                    .map { try AppID($0).unwrapped() }
                let client = try DataServerClient(
                    endpoints: [.production: endpoint],
                    apps: apps.map { .init(id: $0, team: try TeamID($0.prefix).unwrapped(), signingKeys: [key]) },
                    clock: ManualClock(noon))
                var signatures: [Reply] = []
                for app in apps + apps {
                    signatures.append(await client.send(receipt, app: app, environment: .production).reply)
                }
                #expect(signatures[0] == signatures[1])
                #expect(signatures[0] != signatures[2])
                #expect(signatures[3...] == signatures[..<3])
                for case .receipt(let bytes) in signatures { #expect(bytes.bytes.count == 64) }
                #expect(signatures.allSatisfy { if case .receipt = $0 { true } else { false } })
            }
        }
    }

    @Test("an environment or app without settings is said to be so, and nothing is sent")
    func withoutSettings() async throws {
        try await TestAuthority.with { authority in
            try await LoopbackServer.withNginx(authority.issue(), inner: "return 200 QUJD;") { server in
                let client = try client(authority, server)
                let development = try await client.send(receipt, app: app(), environment: .development)
                #expect(development.status == nil)
                #expect(development.excerpt == "no data server is configured for development")
                let stranger = try AppID("ZZZZZZZZZZ.com.example.other").unwrapped()
                let other = await client.send(receipt, app: stranger, environment: .production)
                #expect(other.status == nil)
                #expect(other.excerpt == "no signing key is configured for this app")
            }
        }
    }

    @Test(
        "an answer that does not come whole has its reply",
        arguments: [
            ("half", .unreachable(.cut)), ("nothing", .unreachable(.cut)), ("reset", .unreachable(.cut)),
            ("old", .unreachable(.tls)), ("endless", .unexpected(.tooLarge)), ("large", .serverFailure),
            ("refuse", .refusedStream), ("goaway", .refusedStream), ("gzip", .unexpected(.notBase64)),
        ] as [(String, Reply)])
    func faults(fault: String, expected: Reply) async throws {
        try await TestAuthority.with { authority in
            try await LoopbackServer.withFault(fault, authority.issue()) { server in
                let client = try client(authority, server)
                #expect(try await client.send(receipt, app: app(), environment: .production).reply == expected)
            }
        }
    }

    @Test("two hundred receipts reach a server that says GOAWAY every five requests, each sent at most four times")
    func goaway() async throws {
        let outer = "keepalive_requests 5;"
        try await TestAuthority.with { authority in
            try await LoopbackServer.withNginx(authority.issue(), inner: echo(""), outer: outer) { server in
                let client = try client(authority, server)
                let app = try app()
                let receipt = receipt
                let replies = await withTaskGroup(of: Reply.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            var last = Reply.refusedStream
                            for _ in 0..<25 {
                                last = .refusedStream
                                for _ in 0..<4 where last == .refusedStream {
                                    last = await client.send(receipt, app: app, environment: .production).reply
                                }
                                if last != .receipt(receipt) { return last }
                            }
                            return last
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(replies == Array(repeating: .receipt(receipt), count: 8))
            }
        }
    }
}
