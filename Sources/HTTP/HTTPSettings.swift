/// How a client talks. What is not here is fixed: HTTPS alone, certificates and host names verified, TLS 1.2 or later,
/// no redirects, no cookies, no compression, the proxy that the usual variables (`https_proxy`, `no_proxy`) name.
package struct HTTPSettings: Hashable, Sendable {
    /// The `User-Agent` of every request.
    package var userAgent: String
    /// A PEM file of certificate authorities trusted *instead of* the system's.
    package var certificateAuthorityFile: String?
    /// Time for name, connection and TLS, in milliseconds.
    package var connectMilliseconds = 10_000
    /// Time for a whole request, in milliseconds; waiting for a free connection counts.
    package var totalMilliseconds = HTTPSettings.standardTotalMilliseconds
    /// Connections to one host; over HTTP/2 the next one is opened when all others are full.
    package var connectionsPerHost = 16
    /// Requests at once on a connection of HTTP/2. Whenever something comes in on a connection, libcurl goes through
    /// all of its requests with a system call each, so many on few connections cost more than the connections saved.
    package var requestsPerConnection = 25
    /// The most bytes of a body that are taken.
    package var bodyLimit = 65_536

    private static let standardTotalMilliseconds = 30_000
    /// The time for a whole request unless another is set.
    package static let standardTotal: Duration = .milliseconds(standardTotalMilliseconds)

    /// The defaults with a name for the caller.
    package init(userAgent: String, certificateAuthorityFile: String? = nil) {
        self.userAgent = userAgent
        self.certificateAuthorityFile = certificateAuthorityFile
    }
}
