import AppAttest
import Risk

/// What became of one receipt in a run: one event a receipt, of a fixed shape. It holds no receipt and no credential.
package struct RefreshEvent: Hashable, Sendable {
    /// When the answer came, or the row was put aside unsent.
    package let time: Instant
    /// The attested key.
    package let keyID: KeyIdentifier
    /// Its app.
    package let appID: AppID
    /// Its environment.
    package let environment: Environment
    /// How the try ended.
    package let outcome: OutcomeWord
    /// HTTP status; nil when no answer came or nothing was sent.
    package let status: Int?
    /// What went wrong in one stable word; nil where nothing did.
    package let failure: String?
    /// The reply's `x-b3-traceid`, to quote to Apple.
    package let traceID: String?
    /// The risk metric of a verified answer; nil where it has none.
    package let riskMetric: Int?
    /// The creation time of a verified answer.
    package let creationTime: Instant?
    /// When the key is due next; nil when it is not, or is gone.
    package let dueTime: Instant?
    /// What the reading did to the subject's flag.
    package let flagChange: FlagChange
    /// Whether the stored answer has another token (field 5) than the receipt that was sent.
    package let isTokenChanged: Bool
}
