import AppAttest

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
