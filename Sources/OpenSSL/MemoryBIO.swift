import COpenSSL

/// What a memory BIO holds, copied out.
func memoryBIOContent(_ bio: OpaquePointer) -> [UInt8] {
    var start: UnsafeMutablePointer<CChar>?
    let length = unsafe aw_bio_memory(bio, &start)
    guard let start = unsafe start, length > 0 else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
}

/// Runs `body` with a BIO that reads `bytes` in place; neither outlives the call.
func withMemoryBIO<Result>(over bytes: [UInt8], _ body: (OpaquePointer) -> Result) throws(OpenSSLError) -> Result {
    let result = unsafe bytes.withUnsafeBufferPointer { buffer -> Result? in
        guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
        defer { unsafe BIO_free(bio) }
        return unsafe body(bio)
    }
    guard let result else { throw OpenSSLError(call: "BIO_new_mem_buf") }
    return result
}
