/// Why no whole answer came.
package enum TransportFailure: String, Hashable, Sendable, CaseIterable {
    /// The host name has no address.
    case nameResolution = "name_resolution"
    /// No connection came about, or it was reset before an answer began.
    case connection
    /// TLS failed, the certificate among the causes.
    case tls
    /// A time limit passed.
    case timeout
    /// The proxy refused or could not be reached.
    case proxy
    /// The connection ended inside an answer.
    case cut
}
