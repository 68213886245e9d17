import Verification

/// Apple's root for receipts, from the facts in the program.
func appleAnchors() throws(CommandFailure) -> TrustAnchors {
    do throws(TrustAnchorError) {
        return try .appleReceipts()
    } catch {
        throw .noAppleRoot(error)
    }
}
