import AppAttest
import HTTP
import Refresh

/// What the data server's answers mean on the wire.
///
/// Apple, Assessing fraud risk: the table of status codes. No body of an error is published; "Incorrect Environment"
/// has been seen.
extension DataServerReply {
    /// Reads a whole answer.
    package init(_ response: HTTPResponse) {
        self.init(Reply(response), response)
    }

    /// Reads what came instead of a whole answer.
    package init(_ error: HTTPError) {
        switch error {
        case .nameResolution(let text): self.init(.unreachable(.nameResolution), text)
        case .connection(let text), .notSendable(let text): self.init(.unreachable(.connection), text)
        case .tls(let text): self.init(.unreachable(.tls), text)
        case .timeout(let text): self.init(.unreachable(.timeout), text)
        case .proxy(let text): self.init(.unreachable(.proxy), text)
        case .cut(let text): self.init(.unreachable(.cut), text)
        case .refusedStream(let text): self.init(.refusedStream, text)
        case .tooLarge(let response, _):
            // A status other than 200 says what it says, however much is said about it.
            self.init(response.status == 200 ? .unexpected(.tooLarge) : Reply(response), response)
        }
    }

    /// A request that was not sent for want of settings.
    init(notSent reason: String) {
        self.init(.unreachable(.connection), reason)
    }

    private init(_ reply: Reply, _ text: String) {
        self.init(reply: reply, status: nil, date: nil, traceID: nil, spanID: nil, excerpt: Excerpt.of(text))
    }

    private init(_ reply: Reply, _ response: HTTPResponse) {
        self.init(
            reply: reply, status: response.status, date: response.headers["date"].flatMap(Instant.init(httpDate:)),
            traceID: response.headers["x-b3-traceid"].flatMap(Excerpt.identifier),
            spanID: response.headers["x-b3-spanid"].flatMap(Excerpt.identifier),
            excerpt: response.status == 200 ? nil : Excerpt.of(response.body))
    }
}

extension Reply {
    /// The meaning of a status, and of the body where the status alone does not say.
    fileprivate init(_ response: HTTPResponse) {
        switch response.status {
        case 200:
            do throws(Base64Error) { self = .receipt(ReceiptBytes(try Base64.decode(response.body))) } catch {
                self = .unexpected(.notBase64)
            }
        case 304: self = .notModified
        case 400:
            let text = String(decoding: response.body, as: UTF8.self).lowercased()
            self = text.contains("incorrect environment") ? .incorrectEnvironment : .badRequest
        case 401, 403: self = .unauthorized
        case 404: self = .noData
        case 429: self = .tooManyRequests(response.headers["retry-after"].flatMap(RetryAfter.init(headerValue:)))
        case 500...599: self = .serverFailure
        default: self = .unexpected(.status(response.status))
        }
    }
}

extension RetryAfter {
    /// RFC 9110 § 10.2.3: whole seconds or a date; nil for anything else. More seconds than can be counted are as many
    /// as can.
    package init?(headerValue text: String) {
        if let date = Instant(httpDate: text) {
            self = .date(date)
        } else if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .delay(seconds: Int64(text) ?? .max)
        } else {
            return nil
        }
    }
}
