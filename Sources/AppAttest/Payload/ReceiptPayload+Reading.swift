extension ReceiptPayload {
    /// Reads a payload, an envelope's content; the first problem of a `PartialPayload` refuses it.
    ///
    /// - Throws: `ReceiptError` when the payload is malformed, a field is duplicate, missing, of another version or has
    ///   a value that means nothing, or the times contradict each other.
    public init(reading content: [UInt8]) throws(ReceiptError) {
        try self.init(PartialPayload(reading: content))
    }

    /// The payload that `partial` is when it has no problems.
    ///
    /// - Throws: the first problem.
    public init(_ partial: PartialPayload) throws(ReceiptError) {
        if let problem = partial.problems.first { throw problem }
        self.init(
            appID: try ReceiptPayload.need(partial.appID, .appID),
            attestedCertificate: try ReceiptPayload.need(partial.attestedCertificate, .attestedCertificate),
            clientHash: try ReceiptPayload.need(partial.clientHash, .clientHash),
            token: try ReceiptPayload.need(partial.token, .token),
            type: try ReceiptPayload.need(partial.type, .receiptType),
            environment: try ReceiptPayload.need(partial.environment, .environment),
            creationTime: try ReceiptPayload.need(partial.creationTime, .creationTime),
            riskMetric: partial.riskMetric,
            notBefore: partial.notBefore,
            expirationTime: try ReceiptPayload.need(partial.expirationTime, .expirationTime),
            unknownFields: partial.unknownFields)
    }

    private static func need<Value>(_ value: Value?, _ field: FieldNumber) throws(ReceiptError) -> Value {
        guard let value else { throw .missingField(field) }
        return value
    }
}
