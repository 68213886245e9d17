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
    /// Whether its reading is older than the retention of readings, and is kept beside the receipt at most.
    package var isReadingOutdated = false

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
