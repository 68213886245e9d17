import AppAttest

/// Sends one receipt and says what came back. Implemented by `DataServer`.
package protocol DataServerSending: Sendable {
    /// Sends the receipt to the data server of its environment with the JWT of its app's team; never throws, since
    /// every end of the request is a `Reply`.
    func send(_ receipt: ReceiptBytes, app: AppID, environment: Environment) async -> DataServerReply
    /// Ends every request that is in flight, at once: as unreachable, where no whole answer has come.
    func giveUp()
}
