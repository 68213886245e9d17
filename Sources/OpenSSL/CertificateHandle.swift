import COpenSSL

/// Owns one reference to an X509; dropped exactly once, with the last holder.
///
/// A class because certificates are shared between chains and threads.
@safe
// because OpenSSL counts references and locks its caches inside, and nobody here writes to a finished certificate
final class CertificateHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Adds a reference of its own.
    init?(sharing pointer: OpaquePointer) {
        guard unsafe X509_up_ref(pointer) == 1 else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe X509_free(pointer) }
}
