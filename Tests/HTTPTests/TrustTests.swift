import HTTP
import TestServers
import Testing

@Suite("Whom a client trusts")
struct TrustTests {
    @Test("a certificate of an authority that is not trusted is a TLS error, whether or not another one is named")
    func unknownAuthority() async throws {
        try await withNginx { server, _ in
            try await TestAuthority.with { stranger in
                for client in try [client(), client(stranger)] {
                    let error = try await failure(client, request(to: server.url()))
                    #expect(kind(error) == "tls", "\(error)")
                    #expect(error.description.contains("certificate"))
                }
            }
        }
    }

    @Test("a certificate for another name is a TLS error, and so is an expired one")
    func wrongCertificate() async throws {
        try await TestAuthority.with { authority in
            let identities = try [
                authority.issue("other", alternativeName: "DNS:other.invalid"), authority.issue("expired", days: -1),
            ]
            for identity in identities {
                try await LoopbackServer.withNginx(identity) { server in
                    let error = try await failure(client(authority), request(to: server.url()))
                    #expect(kind(error) == "tls", "\(error)")
                }
            }
        }
    }

    @Test("an authority file that is not there is a TLS error")
    func noAuthority() async throws {
        try await withNginx { server, _ in
            let settings = HTTPSettings(userAgent: "attestwatch/0", certificateAuthorityFile: "/not/there.pem")
            let client = try HTTPClient(settings)
            let error = try await failure(client, request(to: server.url()))
            #expect(kind(error) == "tls", "\(error)")
        }
    }

    @Test("header lines that would break out of their line are refused, and none is shown")
    func headerLines() throws {
        #expect(RequestHeaders([(name: "A", value: "b\r\nC: d")]) == nil)
        #expect(RequestHeaders([(name: "A:", value: "b")]) == nil)
        #expect(RequestHeaders([(name: "", value: "b")]) == nil)
        #expect(RequestHeaders([(name: "A", value: "")]) == nil)
        let headers = try RequestHeaders([(name: "Authorization", value: "secret")]).unwrapped()
        #expect(!"\(headers)".contains("secret"))
    }
}
