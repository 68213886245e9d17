import AppAttest

/// A receipt that a back end brought, verified, with what it said about the key. App and environment are the receipt's.
package struct VerifiedIntake: Hashable, Sendable {
    /// The receipt, judged at its creation time.
    package let receipt: VerifiedReceipt
    /// The back end's own name for the device; 1 to 512 bytes of UTF-8 without NUL.
    package let deviceRef: String?
    /// The back end's own name for the user; as `deviceRef`.
    package let userRef: String?
    /// When the key was attested. Nil: an ATTEST receipt's creation time stands for it.
    package let attestedTime: Instant?
    /// Over how much time the first reading is spread, in the lowest rank, where the key is not on record yet
    /// (`SchedulePlanner.planSpread`); nil: it is due as any fresh key's.
    package var spread: Duration?

    /// Puts the parts together; nothing is checked before `takeIn`.
    package init(
        receipt: VerifiedReceipt, deviceRef: String?, userRef: String?, attestedTime: Instant?, spread: Duration? = nil
    ) {
        self.receipt = receipt
        self.deviceRef = deviceRef
        self.userRef = userRef
        self.attestedTime = attestedTime
        self.spread = spread
    }
}
