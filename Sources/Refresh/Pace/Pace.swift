/// How fast a data server may be asked, and how much at once, by all workers together. Settings of a data server.
package struct Pace: Hashable, Sendable {
    /// Requests a second in the long run.
    package let requestsPerSecond: Double
    /// Requests that may await their answer at one time.
    package let inFlight: Int

    /// Below one a second, and below one in flight, nothing would ever be sent: such values are raised to one.
    package init(requestsPerSecond: Double, inFlight: Int) {
        self.requestsPerSecond = max(1, requestsPerSecond)
        self.inFlight = max(1, inFlight)
    }

    /// 50 requests a second, 300 in flight. Apple publishes no limit for this endpoint.
    package static let standard = Pace(requestsPerSecond: 50, inFlight: 300)
}
