import AppAttest
import DataServer
import HTTP
import Refresh
import Testing

@Suite("What an answer means")
struct ReplyTests {
    private func reply(_ status: Int, _ body: String = "", _ headers: String = "") -> DataServerReply {
        DataServerReply(
            HTTPResponse(status: status, headers: ResponseHeaders(lines: Array(headers.utf8)), body: Array(body.utf8)))
    }

    @Test(
        "a 200 is a receipt when its body is base64 in any lines",
        arguments: ["MIAGCSqGSIb3DQ==", "MIAGCSqGSIb3DQ==\n", "MIAGCSqG\r\nSIb3DQ==\r\n", " MIAGCSqGSIb3DQ "])
    func base64(body: String) {
        let expected = ReceiptBytes([0x30, 0x80, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d])
        #expect(reply(200, body).reply == .receipt(expected))
        #expect(reply(200, body).excerpt == nil)
    }

    @Test(
        "a 200 with anything else is unexpected",
        arguments: [
            "", "\n", "<html><body>Please log in</body></html>", "{\"receipt\": \"MIAG\"}", "\u{1f}\u{8b}\u{8}\0",
            "MIAGC", "MI=A",
        ])
    func notBase64(body: String) {
        #expect(reply(200, body).reply == .unexpected(.notBase64))
    }

    @Test(
        "every status has its meaning",
        arguments: [
            (304, .notModified), (400, .badRequest), (401, .unauthorized), (403, .unauthorized), (404, .noData),
            (429, .tooManyRequests(nil)), (500, .serverFailure), (503, .serverFailure), (599, .serverFailure),
            (201, .unexpected(.status(201))), (204, .unexpected(.status(204))), (302, .unexpected(.status(302))),
            (410, .unexpected(.status(410))), (418, .unexpected(.status(418))), (600, .unexpected(.status(600))),
        ] as [(Int, Reply)])
    func statuses(status: Int, expected: Reply) {
        #expect(reply(status).reply == expected)
        #expect(reply(status).status == status)
    }

    @Test("a wrong environment is told by the body's words, however they are written")
    func environment() {
        #expect(reply(400, "Incorrect Environment").reply == .incorrectEnvironment)
        #expect(reply(400, "{\"reason\":\"INCORRECT environment\"}").reply == .incorrectEnvironment)
        #expect(reply(400, "Bad Payload").reply == .badRequest)
        #expect(reply(404, "Incorrect Environment").reply == .noData)
    }

    @Test(
        "Retry-After is seconds or a date, and anything else is as if it were not there",
        arguments: [
            ("120", .delay(seconds: 120)), ("0", .delay(seconds: 0)), ("864000", .delay(seconds: 864_000)),
            ("Mon, 30 Nov 2026 12:00:00 GMT", .date(noon)), ("soon", nil), ("-1", nil), ("1.5", nil),
            ("99999999999999999999", .delay(seconds: .max)), ("", nil), ("120 s", nil), ("٣", nil),
        ] as [(String, RetryAfter?)])
    func retryAfter(text: String, expected: RetryAfter?) {
        #expect(reply(429, "", "Retry-After: \(text)\r\n").reply == .tooManyRequests(expected))
    }

    @Test(
        "a date is read in the one form that servers may write",
        arguments: [
            ("Mon, 30 Nov 2026 12:00:00 GMT", noon), ("Thu, 01 Jan 1970 00:00:00 GMT", Instant(seconds: 0)),
            ("Mon, 30 Feb 2026 12:00:00 GMT", nil), ("Mon, 30 Nov 2026 25:00:00 GMT", nil),
            ("Mon, 30 Nov 2026 12:00:00 UTC", nil), ("Monday, 30-Nov-26 12:00:00 GMT", nil),
            ("Mon Nov 30 12:00:00 2026", nil), ("", nil), ("Mon,  3 Nov 2026 12:00:00 GMT", nil),
        ] as [(String, Instant?)])
    func date(text: String, expected: Instant?) {
        #expect(Instant(httpDate: text) == expected)
        #expect(reply(404, "", "date: \(text)\r\n").date == expected)
    }

    @Test("trace identifiers are kept, short and safe")
    func traces() {
        let long = String(repeating: "a", count: 100)
        let reply = reply(400, "", "X-B3-TraceId: 4f1c-9A\"\u{7}<b>\r\nx-b3-spanid: \(long)\r\n")
        #expect(reply.traceID == "4f1c-9Ab")
        #expect(reply.spanID == String(repeating: "a", count: 64))
        #expect(self.reply(400, "", "X-B3-TraceId: \u{7}\r\n").traceID == nil)
    }

    @Test("an error body is kept to 200 characters that are safe to log")
    func excerpt() {
        #expect(reply(400, "Bad Payload").excerpt == "Bad Payload")
        #expect(reply(400, "a\u{1b}[31mb\0é").excerpt == "a [31mb   ")
        #expect(reply(400, String(repeating: "no ", count: 200)).excerpt?.utf8.count == 200)
        #expect(reply(400, "").excerpt == nil)
        #expect(reply(500, "\u{0}\u{1}").excerpt == nil)
    }

    @Test("a receipt or JWT that a server sends back is not kept, whole, wrapped, escaped or at the edge")
    func echo() {
        let secret = Base64.encode((0..<90).map { UInt8($0) })
        let lines = stride(from: 0, to: 120, by: 20).map { secret.dropFirst($0).prefix(20) }
        let bodies = [
            secret, "bad: \(secret)", lines.joined(separator: "\r\n"), lines.joined(separator: "\\n"),
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJBIn0.\(secret)", String(repeating: "no ", count: 60) + secret,
        ]
        for body in bodies {
            let excerpt = reply(400, body).excerpt ?? ""
            #expect(lines.allSatisfy { !excerpt.contains($0) })
            #expect(!excerpt.contains("eyJ"))
            #expect(excerpt.contains("<redacted>"))
        }
    }

    @Test(
        "an answer that did not come whole is told by its kind",
        arguments: [
            (.nameResolution("x"), .unreachable(.nameResolution)), (.connection("x"), .unreachable(.connection)),
            (.tls("x"), .unreachable(.tls)), (.timeout("x"), .unreachable(.timeout)),
            (.proxy("x"), .unreachable(.proxy)), (.cut("x"), .unreachable(.cut)), (.refusedStream("x"), .refusedStream),
            (.notSendable("x"), .unreachable(.connection)),
        ] as [(HTTPError, Reply)])
    func transport(error: HTTPError, expected: Reply) {
        let reply = DataServerReply(error)
        #expect(reply.reply == expected)
        #expect(reply.status == nil)
        #expect(reply.excerpt == "x")
    }

    @Test("too large a body spoils a 200 and no other status")
    func tooLarge() {
        let headers = ResponseHeaders(lines: Array("Retry-After: 7\r\n".utf8))
        func reply(_ status: Int) -> Reply {
            let response = HTTPResponse(status: status, headers: headers, body: Array("QUJD".utf8))
            return DataServerReply(.tooLarge(response, limit: 65_536)).reply
        }
        #expect(reply(200) == .unexpected(.tooLarge))
        #expect(reply(429) == .tooManyRequests(.delay(seconds: 7)))
        #expect(reply(503) == .serverFailure)
    }
}
