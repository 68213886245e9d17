import System
import Verification

/// Apple's root for receipts, from the facts in the program.
func appleAnchors() throws(CommandFailure) -> TrustAnchors {
    do throws(TrustAnchorError) {
        return try .appleReceipts()
    } catch {
        throw .noAppleRoot(error)
    }
}

/// Roots from a PEM file, in the place of Apple's.
func replacedAnchors(_ file: String) throws(CommandFailure) -> TrustAnchors {
    let pem: [UInt8]
    do throws(SystemError) {
        pem = try OpenFile.reading(file).readToEnd(limit: 1 << 20)
    } catch {
        throw .inputUnreadable(error)
    }
    do throws(TrustAnchorError) {
        return try TrustAnchors(pem: pem)
    } catch {
        throw .anchorRefused(file: file, error)
    }
}
