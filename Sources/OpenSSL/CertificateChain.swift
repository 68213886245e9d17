import COpenSSL

/// A chain that OpenSSL built and verified: the leaf first, an anchor last.
public struct CertificateChain: Sendable {
    /// The chain's certificates, at least one.
    public let certificates: [Certificate]

    /// Builds and verifies a chain from `leaf` over any of `untrusted` to one of `anchors`, every certificate valid at
    /// `second` (since the Unix epoch), for the purpose *S/MIME sign*, which is what `CMS_verify` asks for.
    ///
    /// Nothing in `untrusted` is ever believed for being self-signed.
    public init(
        leaf: Certificate, untrusted: [Certificate], anchors: [Certificate], at second: Int64
    ) throws(ChainError) {
        let store = try StoreHandle.trusting(anchors, at: second)
        let stack = try StackHandle.holding(untrusted)
        guard let context = unsafe X509_STORE_CTX_new() else { throw ChainError.outOfMemory() }
        defer { unsafe X509_STORE_CTX_free(context) }
        let begun =
            unsafe X509_STORE_CTX_init(context, store.pointer, leaf.handle.pointer, stack.pointer) == 1
            && X509_STORE_CTX_set_default(context, "smime_sign") == 1
        guard begun else { throw ChainError.outOfMemory() }
        let verified = unsafe X509_verify_cert(context)
        drainErrorQueue()
        guard verified == 1, let built = unsafe X509_STORE_CTX_get0_chain(context) else {
            throw ChainError(
                code: unsafe X509_STORE_CTX_get_error(context),
                depth: Int(unsafe X509_STORE_CTX_get_error_depth(context)))
        }
        var certificates: [Certificate] = []
        for index in 0..<(unsafe aw_certificates_count(built)) {
            guard let pointer = unsafe aw_certificates_at(built, index),
                let handle = unsafe CertificateHandle(sharing: pointer)
            else { throw ChainError.outOfMemory() }
            certificates.append(Certificate(handle))
        }
        self.certificates = certificates
    }
}

/// Why no chain was built or the built one is not valid.
public struct ChainError: Error, Hashable, Sendable, CustomStringConvertible {
    /// OpenSSL's `X509_V_ERR_…`.
    public let code: Int32
    /// How far from the leaf (0) the fault was found.
    public let depth: Int
    /// OpenSSL's words for the code.
    public let text: String

    /// Takes OpenSSL's words for `code`.
    public init(code: Int32, depth: Int) {
        self.code = code
        self.depth = depth
        let words = unsafe X509_verify_cert_error_string(Int(code))
        self.text = unsafe words.map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    static func outOfMemory() -> ChainError {
        drainErrorQueue()
        return ChainError(code: X509_V_ERR_OUT_OF_MEM, depth: 0)
    }

    public var description: String { "\(text) (at depth \(depth))" }
}

/// An X509_STORE; freed at the end of its scope.
@safe
struct StoreHandle: ~Copyable {
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe X509_STORE_free(pointer) }

    /// A store that trusts `anchors`, which it shares, at one point in time.
    static func trusting(_ anchors: [Certificate], at second: Int64) throws(ChainError) -> StoreHandle {
        guard let pointer = unsafe X509_STORE_new() else { throw ChainError.outOfMemory() }
        let store = unsafe StoreHandle(owning: pointer)
        for anchor in anchors {
            guard unsafe X509_STORE_add_cert(pointer, anchor.handle.pointer) == 1 else {
                throw ChainError.outOfMemory()
            }
        }
        // This also keeps OpenSSL from asking for the present time.
        unsafe X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(pointer), time_t(second))
        return store
    }
}

/// A STACK_OF(X509) that keeps its certificates alive; freed at the end of its scope.
@safe
struct StackHandle: ~Copyable {
    let pointer: OpaquePointer
    private let certificates: [Certificate]

    private init(owning pointer: OpaquePointer, _ certificates: [Certificate]) {
        unsafe self.pointer = pointer
        self.certificates = certificates
    }

    deinit { unsafe aw_certificates_free(pointer) }

    /// A stack of `certificates` in their order.
    static func holding(_ certificates: [Certificate]) throws(ChainError) -> StackHandle {
        guard let pointer = unsafe aw_certificates_new() else { throw ChainError.outOfMemory() }
        let stack = unsafe StackHandle(owning: pointer, certificates)
        for certificate in certificates {
            guard unsafe aw_certificates_push(pointer, certificate.handle.pointer) > 0 else {
                throw ChainError.outOfMemory()
            }
        }
        return stack
    }
}
