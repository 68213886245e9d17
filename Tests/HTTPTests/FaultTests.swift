import HTTP
import TestServers
import Testing

@Suite("Answers that do not come whole")
struct FaultTests {
    @Test(
        "a broken answer is an error of its kind",
        arguments: [("half", "cut"), ("nothing", "cut"), ("reset", "cut"), ("endless", "tooLarge"), ("old", "tls")])
    func fault(fault: String, expected: String) async throws {
        try await withFault(fault) { server, client in
            let error = try await failure(client, request(to: server.url()))
            #expect(kind(error) == expected, "\(error)")
        }
    }

    @Test("too large a body is refused by its promised length, and its head is kept")
    func promisedLength() async throws {
        try await withFault("large") { server, client in
            let error = try await failure(client, request(to: server.url()))
            guard case .tooLarge(let response, limit: 65_536) = error else {
                Issue.record("expected tooLarge, found \(kind(error))")
                return
            }
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] == "7")
        }
    }

    @Test("an interim answer is passed over")
    func interim() async throws {
        try await withFault("interim") { server, client in
            let response = try await client.send(request(to: server.url()))
            #expect(response.status == 200)
            #expect(response.headers["x-which"] == "final")
        }
    }

    @Test("a server that never answers is a timeout")
    func silence() async throws {
        try await withFault("silent", totalMilliseconds: 300) { server, client in
            let error = try await failure(client, request(to: server.url()))
            #expect(kind(error) == "timeout", "\(error)")
        }
    }

    @Test("a few streams refused one by one cost nothing")
    func fewRefusals() async throws {
        try await withFault("refuse", count: 3) { server, client in
            let response = try await client.send(request(to: server.url()))
            #expect(response.status == 200)
            #expect(response.body == Array("ok".utf8))
        }
    }

    @Test("streams refused over and over are refused streams", arguments: ["refuse", "goaway"])
    func onlyRefusals(fault: String) async throws {
        try await withFault(fault) { server, client in
            let error = try await failure(client, request(to: server.url()))
            #expect(kind(error) == "refusedStream", "\(error)")
        }
    }

    @Test("after a GOAWAY the next request goes over a new connection")
    func afterGoaway() async throws {
        try await withFault("goaway", count: 1) { server, client in
            let error = try await failure(client, request(to: server.url()))
            #expect(kind(error) == "refusedStream", "\(error)")
            #expect(try await client.send(request(to: server.url())).status == 200)
        }
    }

    @Test("a port where nobody listens is a connection error")
    func nobody() async throws {
        let error = try await failure(client(), request(to: "https://127.0.0.1:1/"))
        #expect(kind(error) == "connection", "\(error)")
    }

    @Test(
        "what is not https with a host is not sent",
        arguments: [
            "http://127.0.0.1:1/", "ftp://127.0.0.1:1/", "file:///etc/hostname", "", "https://user:word@127.0.0.1:1/",
        ])
    func otherSchemes(url: String) async throws {
        let error = try await failure(client(), request(to: url))
        #expect(kind(error) == "notSendable", "\(error)")
        #expect(!error.description.contains("word"))
    }
}
