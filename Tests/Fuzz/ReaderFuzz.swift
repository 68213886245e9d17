// What libFuzzer calls with each input. `ops/fuzz` compiles it together with Sources/AppAttest; it is no part of the
// package. A trap in the reader, or a property that does not hold, ends the process and is the finding.

/// Reads `count` bytes at `start` as everything that a stranger may hand in.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    fuzzEnvelope(bytes)
    fuzzPayload(bytes)
    fuzzText(bytes)
    return 0
}

private func fuzzEnvelope(_ bytes: [UInt8]) {
    guard let receipt = try? SignedReceipt(reading: bytes) else {
        precondition((try? SignedReceipt(reading: bytes)) == nil, "refused once and taken once")
        return
    }
    guard let again = try? SignedReceipt(reading: receipt.bytes) else {
        preconditionFailure("taken once and refused once")
    }
    precondition(receipt.bytes == bytes && again.content == receipt.content, "the content differs")
    precondition(again.signers == receipt.signers && again.certificates == receipt.certificates, "the parts differ")
    precondition(again.encoding == receipt.encoding && again.fastShape == receipt.fastShape, "the shape differs")
    precondition(bytes.count <= SignedReceipt.sizeLimit, "larger than the limit")
    if let chunks = receipt.contentChunks {
        precondition(chunks.reduce(0, +) == receipt.content.count, "the chunks are not the content")
    }
    for range in receipt.certificates {
        precondition(receipt.certificatesField.contains(range.lowerBound), "a certificate outside its field")
        precondition(range.upperBound <= receipt.certificatesField.upperBound, "a certificate outside its field")
        precondition(receipt[range].first == 0x30, "a certificate that is no SEQUENCE")
    }
    if receipt.fastShape == .exact { precondition(receipt.signers.count == 1, "not one signer") }
    fuzzPayload(receipt.content)
}

private func fuzzPayload(_ bytes: [UInt8]) {
    let partial = PartialPayload(reading: bytes)
    do {
        let payload = try ReceiptPayload(reading: bytes)
        precondition(partial.problems.isEmpty, "taken with problems")
        precondition(payload.creationTime.instant < payload.expirationTime.instant, "expires before it begins")
    } catch {
        precondition(error == partial.problems.first && !error.description.isEmpty, "another problem than the first")
    }
}

private func fuzzText(_ bytes: [UInt8]) {
    let text = Base64.encodedOctets(bytes)
    precondition(bytes.isEmpty || (try? Base64.decode(text)) == bytes, "base64 does not come back")
    if let decoded = try? Base64.decode(bytes) {
        precondition((try? Base64.decode(Base64.encode(decoded))) == decoded, "base64 does not come back")
    }
    if let receipt = try? ReceiptBytes(anyFlavour: bytes) {
        precondition(receipt.bytes.first == 0x30, "taken as a receipt")
    }
    if let instant = try? Instant(rfc3339: bytes) {
        // An offset can move a time out of the years that are read.
        let isInside = instant >= Instant(seconds: 0) && instant < Instant(seconds: 253_402_300_800)
        precondition(!isInside || (try? Instant(rfc3339: instant.rfc3339)) == instant, "the time differs")
    }
}
