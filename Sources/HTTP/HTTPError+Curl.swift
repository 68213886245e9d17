import CCurl

extension HTTPError {
    /// What a failed transfer means, from libcurl's code and, where one code stands for two things, its text.
    ///
    /// `proxyStatus` is the proxy's answer to CONNECT, 0 without one.
    init(_ code: CURLcode, text: String, url: String, proxyStatus: Int) {
        let text = HTTPError.printable(text)
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
            self = HTTPError.wasRefused(text) ? .refusedStream(text) : .cut(text)
        default:
            self = .notSendable(text)
        }
    }

    /// Whether the server turned the request away unread.
    ///
    /// libcurl itself sends such a request again on another connection (REFUSED_STREAM, streams beyond a GOAWAY's last
    /// one, a kept connection that has died), five times, and then says that the connection died.
    private static func wasRefused(_ text: String) -> Bool {
        text.contains("REFUSED_STREAM") || text.hasPrefix("Connection died, tried")
    }

    private static func host(of url: String) -> String {
        let behindScheme = url.drop { $0 != "/" }.drop { $0 == "/" }
        return String(behindScheme.prefix { $0 != "/" && $0 != ":" && $0 != "?" })
    }

    private static func printable(_ text: String) -> String {
        String(decoding: text.utf8.prefix(200).map { (0x20...0x7e).contains($0) ? $0 : 0x20 }, as: UTF8.self)
    }
}
