import AppAttest
import Risk

/// What became of a receipt that was brought.
package struct IntakeOutcome: Hashable, Sendable {
    /// Whose receipt it was.
    package let keyID: KeyIdentifier
    /// Whether and how it went in.
    package let result: IntakeResult
    /// What its reading, if it had one, did to the subject's flag.
    package let flagChange: FlagChange
    /// Whether the key is on record with another `device_ref`, or none, which stays: only an event changes it.
    package let isDeviceRefIgnored: Bool

    /// Puts the parts together.
    package init(
        keyID: KeyIdentifier, result: IntakeResult, flagChange: FlagChange = .unchanged,
        isDeviceRefIgnored: Bool = false
    ) {
        self.keyID = keyID
        self.result = result
        self.flagChange = flagChange
        self.isDeviceRefIgnored = isDeviceRefIgnored
    }
}

/// Whether and how a receipt went in.
package enum IntakeResult: Hashable, Sendable {
    /// The key was not on record before.
    case takenIn
    /// It took the place of an older receipt of its key.
    case replaced
    /// It is the stored receipt; nothing changed.
    case unchanged
    /// It is older than the stored receipt; only a reading it may have is kept.
    case older
    /// It did not go in.
    case rejected(IntakeRejection)
}

/// Why a receipt did not go in.
package enum IntakeRejection: Hashable, Sendable {
    /// The key is on record under another app.
    case knownUnderAnotherApp(AppID)
    /// The key is on record in another environment.
    case knownInAnotherEnvironment(Environment)
    /// `device_ref` or `user_ref` is empty, over 512 bytes, or holds a NUL.
    case referenceUnusable(field: String)
    /// The database refused a value of it.
    case valueRefused(sqlState: String, message: String)
}
