import AppAttest

/// Sends one receipt and says what came back. Implemented by `DataServer`.
package protocol DataServerSending: Sendable {
    /// Sends the receipt once to the data server of its environment, with a JWT of its app's team; never throws, since
    /// every end of the request is a `Reply`.
    ///
    /// - Parameter refusedKeys: the places among the app's signing keys of those that were refused for this receipt;
    ///   another one signs. Where this one is refused too and one is left, the reply's `refusedKey` says which it was.
    func send(
        _ receipt: ReceiptBytes, app: AppID, environment: Environment, refusedKeys: Set<Int>
    ) async -> DataServerReply
    /// Ends every request that is in flight, at once: as unreachable, where no whole answer has come.
    func giveUp()
}
