import CCurl

extension HTTPError {
    /// What a failed transfer means, from libcurl's code and, where one code stands for two things, its text.
    ///
    /// `ownText` is what libcurl wrote for this very transfer, often nothing; `status` is the answer's, 0 where none
    /// had begun; `proxyStatus` is the proxy's answer to CONNECT, 0 without one.
    init(_ code: CURLcode, ownText: String, url: String, status: Int, proxyStatus: Int) {
        let text = HTTPError.printable(ownText.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : ownText)
        if proxyStatus != 0 && proxyStatus / 100 != 2 {
            self = .proxy(text)
            return
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            self = .nameResolution(text)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY:
            self = .proxy(text)
        case CURLE_COULDNT_CONNECT:
            // The text names whom libcurl tried to reach; where that is not our host, it is the proxy.
            self = text.contains(HTTPError.host(of: url)) ? .connection(text) : .proxy(text)
        case CURLE_OPERATION_TIMEDOUT:
            self = .timeout(text)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
            CURLE_SSL_ENGINE_INITFAILED:
            self = .tls(text)
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_GOT_NOTHING,
            CURLE_PARTIAL_FILE, CURLE_WEIRD_SERVER_REPLY:
            let wasRefused = HTTPError.wasRefused(code, text, hasOwnText: !ownText.isEmpty, status: status)
            self = wasRefused ? .refusedStream(text) : .cut(text)
        default:
            self = .notSendable(text)
        }
    }

    /// Whether the server turned the request away unread, as far as libcurl 7.88 lets us see it.
    ///
    /// libcurl itself sends a request again on another connection after REFUSED_STREAM, for streams beyond a GOAWAY's
    /// last one, and when a kept connection has died; after five times it says that the connection died. A GOAWAY
    /// that leaves out a connection's only stream is `CURLE_HTTP2` before any answer. A stream closed before our body
    /// was read is `CURLE_HTTP2_STREAM` or `CURLE_PARTIAL_FILE` without a text of its own.
    private static func wasRefused(_ code: CURLcode, _ text: String, hasOwnText: Bool, status: Int) -> Bool {
        switch code {
        case CURLE_HTTP2: status == 0
        case CURLE_HTTP2_STREAM, CURLE_PARTIAL_FILE: !hasOwnText
        default: text.hasPrefix("Connection died, tried")
        }
    }

    private static func host(of url: String) -> String {
        let behindScheme = url.drop { $0 != "/" }.drop { $0 == "/" }
        return String(behindScheme.prefix { $0 != "/" && $0 != ":" && $0 != "?" })
    }

    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.prefix(200).map { (0x20...0x7e).contains($0) ? $0 : 0x20 }, as: UTF8.self)
    }
}
