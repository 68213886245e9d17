import AppAttest

/// Is this the envelope of a receipt?
package enum EnvelopeStep {
    /// Takes the envelope apart within the strict limits that hold for every shape.
    package static func read(_ bytes: ReceiptBytes) throws(VerificationFailure) -> SignedReceipt {
        let receipt: SignedReceipt
        do { receipt = try SignedReceipt(reading: bytes.bytes) } catch { throw .envelope(error) }
        guard receipt.signers.count == 1 else { throw .signerCount(expected: 1, found: receipt.signers.count) }
        return receipt
    }
}
