import AppAttest
import OpenSSL
import Synchronization

/// Signers whose chains OpenSSL has verified, by what decided it: the certificates field and the signer identifier.
///
/// Only verified chains go in, so what is in here can be stale but never wrong: whoever takes an entry out asks whether
/// its chain holds at the receipt's own time. Certificates are not signed content, so a sender can vary them at will;
/// the size is bounded, and intake cannot push out what answers use.
package final class SignerCache: Sendable {
    /// SHA-256 of the certificates field and the signer identifier.
    package struct Key: Hashable, Sendable {
        private let digest: [UInt8]

        /// The key of a receipt with one signer.
        package init?(_ receipt: SignedReceipt) {
            guard let signer = receipt.signers.first else { return nil }
            self.digest = SHA256.digest(
                Array(receipt[receipt.certificatesField]) + receipt[signer.signerIdentifierRange])
        }
    }

    /// How many signers are kept. Apple has used seven in six years.
    package static let capacity = 64

    private struct Entries {
        var signers: [Key: TrustedSigner] = [:]
        var order: [Key] = []
    }

    private let entries = Mutex(Entries())

    /// An empty cache.
    package init() {}

    /// How many signers are in it.
    package var count: Int { entries.withLock { $0.signers.count } }

    /// The signers in it, in no order.
    package var signers: [TrustedSigner] { entries.withLock { Array($0.signers.values) } }

    /// The signer that was verified under `key`.
    package func signer(for key: Key) -> TrustedSigner? {
        entries.withLock { $0.signers[key] }
    }

    /// Keeps a verified signer; the one that came in first makes room.
    package func keep(_ signer: TrustedSigner, for key: Key) {
        entries.withLock { entries in
            if entries.signers.updateValue(signer, forKey: key) != nil { return }
            entries.order.append(key)
            guard entries.order.count > SignerCache.capacity else { return }
            entries.signers[entries.order.removeFirst()] = nil
        }
    }
}
