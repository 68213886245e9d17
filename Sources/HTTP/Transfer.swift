import CCurl

/// One easy handle with what it needs while a request is on its way; used again and again, by the loop's thread alone.
///
/// A class because libcurl's callbacks hold a pointer to it.
@safe
final class Transfer {
    /// libcurl's handle.
    let easy: UnsafeMutableRawPointer
    private let bodyLimit: Int
    private let errorText: UnsafeMutablePointer<CChar>
    private var optionsAreSet = true
    private var current: QueuedRequest?
    private var head: [UInt8] = []
    private var body: [UInt8] = []
    private var bodyIsTooLarge = false

    /// Header lines beyond so many bytes are dropped; the few that anybody reads come long before.
    private static let headLimit = 16_384

    /// Makes a handle and sets everything that is the same for all requests.
    init(_ settings: HTTPSettings) {
        guard let easy = unsafe curl_easy_init() else { preconditionFailure("memory for an easy handle") }
        unsafe self.easy = easy
        bodyLimit = settings.bodyLimit
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setLimits(settings)
        setTrust(settings)
        setCallbacks()
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe errorText.deallocate()
    }

    /// Sets what this request needs; an error when libcurl will not have it.
    func begin(_ queued: QueuedRequest) -> HTTPError? {
        head.removeAll(keepingCapacity: true)
        body = []
        bodyIsTooLarge = false
        unsafe errorText[0] = 0
        let request = queued.request
        check(unsafe aw_set_string(easy, CURLOPT_URL, request.url))
        check(unsafe aw_set_headers(easy, request.headers?.list))
        setMethod(of: request)
        guard optionsAreSet else { return .notSendable("libcurl does not take an option") }
        current = queued
        return nil
    }

    private func setMethod(of request: HTTPRequest) {
        guard let body = request.body else {
            check(unsafe aw_set_long(easy, CURLOPT_NOBODY, 1))
            return
        }
        // Handles are used again: what a HEAD has set is taken back. Without NOBODY libcurl would GET.
        check(unsafe aw_set_long(easy, CURLOPT_NOBODY, 0))
        check(unsafe aw_set_long(easy, CURLOPT_POST, 1))
        // The size first: libcurl copies so many bytes when it is given the body.
        check(unsafe aw_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        check(
            unsafe body.withUnsafeBufferPointer { bytes in
                unsafe aw_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress)
            })
    }

    /// Hands the answer, or why there is none, to who waits for it.
    func finish(_ code: CURLcode) {
        end(result(code))
    }

    /// Says why there is no answer where libcurl was not asked.
    func fail(_ error: HTTPError) {
        end(.failure(error))
    }

    private func end(_ result: Result<HTTPResponse, HTTPError>) {
        current?.continuation.resume(returning: result)
        current = nil
    }

    private func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPError> {
        var status = 0
        var proxyStatus = 0
        unsafe aw_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        unsafe aw_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
        if code == CURLE_OK || bodyIsTooLarge || code == CURLE_FILESIZE_EXCEEDED || isWhole(status) {
            let response = HTTPResponse(status: status, headers: ResponseHeaders(lines: head), body: body)
            body = []
            let isTooLarge = bodyIsTooLarge || code == CURLE_FILESIZE_EXCEEDED
            return isTooLarge ? .failure(.tooLarge(response, limit: bodyLimit)) : .success(response)
        }
        let text = unsafe String(cString: errorText)
        let url = current?.request.url ?? ""
        return .failure(HTTPError(code, ownText: text, url: url, status: status, proxyStatus: proxyStatus))
    }

    /// Whether everything is there that the answer's head promises.
    ///
    /// A server may answer and close the stream before it has read our body (RFC 9113 § 8.1). libcurl 7.88 then fails
    /// to send the rest and reports that, with the whole answer in its hands.
    private func isWhole(_ status: Int) -> Bool {
        status >= 200 && ResponseHeaders(lines: head)["content-length"] == "\(body.count)"
    }

    /// Takes a piece of the body; anything but `bytes.count` makes libcurl give up.
    fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        let room = bodyLimit - body.count
        unsafe body.append(contentsOf: bytes.prefix(room))
        bodyIsTooLarge = bytes.count > room
        return bodyIsTooLarge ? 0 : bytes.count
    }

    /// Takes a header line. A status line begins a new head: an interim answer (1xx) went before.
    fileprivate func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        if unsafe bytes.starts(with: "HTTP/".utf8) { head.removeAll(keepingCapacity: true) }
        if head.count + bytes.count <= Transfer.headLimit { unsafe head.append(contentsOf: bytes) }
        return bytes.count
    }

    private func check(_ code: CURLcode) {
        if code != CURLE_OK { optionsAreSet = false }
    }

    private func setLimits(_ settings: HTTPSettings) {
        check(unsafe aw_set_string(easy, CURLOPT_USERAGENT, settings.userAgent))
        check(unsafe aw_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, settings.connectMilliseconds))
        check(unsafe aw_set_long(easy, CURLOPT_TIMEOUT_MS, settings.totalMilliseconds))
        check(unsafe aw_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(settings.bodyLimit)))
        check(unsafe aw_set_long(easy, CURLOPT_FOLLOWLOCATION, 0))
        check(unsafe aw_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0))
        // A receipt in base64 fits into the smallest buffer that libcurl takes; its usual one has 64 KiB a handle.
        check(unsafe aw_set_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, 16_384))
        // Signals belong to the program.
        check(unsafe aw_set_long(easy, CURLOPT_NOSIGNAL, 1))
        check(unsafe aw_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)))
        // Wait for a connection that may turn out to be HTTP/2 rather than open one a request.
        check(unsafe aw_set_long(easy, CURLOPT_PIPEWAIT, 1))
    }

    private func setTrust(_ settings: HTTPSettings) {
        check(unsafe aw_set_string(easy, CURLOPT_PROTOCOLS_STR, "https"))
        check(unsafe aw_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
        check(unsafe aw_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1))
        check(unsafe aw_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2))
        check(unsafe aw_set_long(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1))
        // The header lines hold a credential, which a proxy must not see.
        check(unsafe aw_set_long(easy, CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)))
        check(unsafe aw_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1))
        if let file = settings.certificateAuthorityFile {
            check(unsafe aw_set_string(easy, CURLOPT_CAINFO, file))
            // Otherwise the system's folder would stay trusted beside the file.
            check(unsafe aw_set_string(easy, CURLOPT_CAPATH, nil))
        }
    }

    private func setCallbacks() {
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        check(unsafe aw_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
        check(unsafe aw_set_pointer(easy, CURLOPT_WRITEDATA, owner))
        check(unsafe aw_set_receive(easy, CURLOPT_WRITEFUNCTION) { unsafe bodyCame($0, $1, $2, $3) })
        check(unsafe aw_set_pointer(easy, CURLOPT_HEADERDATA, owner))
        check(unsafe aw_set_receive(easy, CURLOPT_HEADERFUNCTION) { unsafe headerCame($0, $1, $2, $3) })
    }
}

private func bodyCame(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
    guard let owner = unsafe owner else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(owner).takeUnretainedValue()
    return unsafe transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func headerCame(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
    guard let owner = unsafe owner else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(owner).takeUnretainedValue()
    return unsafe transfer.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
}
