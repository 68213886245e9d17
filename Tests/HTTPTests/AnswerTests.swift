import HTTP
import TestServers
import Testing

@Suite("Answers from nginx over TLS and HTTP/2")
struct AnswerTests {
    // nginx takes no word of over 4,096 characters, so the large bodies are made of a variable.
    private let inner = """
        set $kib "\(String(repeating: "A", count: 1_024))";
        set $seen "$request_method|$http_user_agent|$http_x_mine|$http_accept_encoding|";
        location /echo { add_header X-Seen $seen; return 200 "yes"; }
        location /empty { return 200; }
        location /limit { return 200 "\(String(repeating: "${kib}", count: 64))"; }
        location /over { return 200 "\(String(repeating: "${kib}", count: 64))B"; }
        location /redirect { return 302 https://127.0.0.1:1/elsewhere; }
        location /unauthorized { return 401; }
        """

    @Test("a request arrives as HTTP/2 POST with the caller's headers and asks for no encoding")
    func echo() async throws {
        try await withNginx(inner: inner) { server, client in
            let headers = try RequestHeaders([(name: "X-Mine", value: "a value")]).unwrapped()
            let response = try await client.send(request(to: server.url("/echo"), headers: headers))
            #expect(response.status == 200)
            #expect(response.body == Array("yes".utf8))
            #expect(response.headers["x-seen"] == "POST|attestwatch/0|a value||")
            #expect(response.headers["x-protocol"] == "HTTP/2.0")
            #expect(response.headers["date"] != nil)
            #expect(response.headers["x-absent"] == nil)
        }
    }

    @Test("a HEAD hands over nothing, and the POST after it is a POST with its body again")
    func head() async throws {
        try await withNginx(inner: inner) { server, client in
            for _ in 0..<2 {
                let head = try await client.send(HTTPRequest(headOf: server.url("/echo")))
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(head.headers["x-seen"] == "HEAD|attestwatch/0|||")
                #expect(head.headers["date"] != nil)
                let post = try await client.send(request(to: server.url("/echo")))
                #expect(post.body == Array("yes".utf8))
                #expect(post.headers["x-seen"] == "POST|attestwatch/0|||")
            }
        }
    }

    @Test("any status is an answer, an empty body is a body")
    func status() async throws {
        try await withNginx(inner: inner) { server, client in
            #expect(try await client.send(request(to: server.url("/unauthorized"))).status == 401)
            #expect(try await client.send(request(to: server.url("/missing"))).status == 404)
            let response = try await client.send(request(to: server.url("/empty"), body: []))
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
        }
    }

    @Test("a redirect is an answer and is not followed")
    func redirect() async throws {
        try await withNginx(inner: inner) { server, client in
            let response = try await client.send(request(to: server.url("/redirect")))
            #expect(response.status == 302)
            #expect(response.headers["location"] == "https://127.0.0.1:1/elsewhere")
        }
    }

    @Test("64 KiB are taken, one byte more is refused, and the client goes on answering")
    func limit() async throws {
        try await withNginx(inner: inner) { server, client in
            for _ in 0..<3 {
                #expect(try await client.send(request(to: server.url("/limit"))).body.count == 65_536)
                let error = try await failure(client, request(to: server.url("/over")))
                guard case .tooLarge(let response, limit: 65_536) = error else {
                    Issue.record("expected tooLarge, found \(kind(error))")
                    return
                }
                #expect(response.status == 200)
                #expect(response.body.count <= 65_536)
            }
        }
    }

    @Test("a thousand requests at once are all answered over few connections")
    func many() async throws {
        try await withNginx(inner: inner, totalMilliseconds: 60_000) { server, client in
            let request = try request(to: server.url("/echo"))
            let ends = await outcomes(of: request, client, lanes: 1_000, requestsPerLane: 1)
            #expect(ends == ["200": 1_000])
        }
    }

    @Test("a server that says GOAWAY every five requests answers or refuses, and nothing breaks")
    func goaway() async throws {
        try await withNginx(inner: "location / { return 200; }", outer: "keepalive_requests 5;") { server, client in
            let request = try request(to: server.url())
            let ends = await outcomes(of: request, client, lanes: 8, requestsPerLane: 25)
            #expect(Set(ends.keys).isSubset(of: ["200", "refusedStream"]))
            #expect(ends["200", default: 0] > 150)
        }
    }

    /// How many requests ended in which status or error; lanes go side by side, the requests of a lane one by one.
    private func outcomes(
        of request: HTTPRequest, _ client: HTTPClient, lanes: Int, requestsPerLane: Int
    ) async -> [String: Int] {
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<lanes {
                group.addTask {
                    var ends: [String] = []
                    for _ in 0..<requestsPerLane { ends.append(await outcome(of: request, client)) }
                    return ends
                }
            }
            return await group.reduce(into: [:]) { counts, ends in
                for end in ends { counts[end, default: 0] += 1 }
            }
        }
    }

    private func outcome(of request: HTTPRequest, _ client: HTTPClient) async -> String {
        do throws(HTTPError) { return try await "\(client.send(request).status)" } catch { return kind(error) }
    }
}
