/// The App Attest environment that a key was attested in; each has a data server of its own.
public enum Environment: String, Hashable, Sendable, CaseIterable {
    case production
    case development

    /// The environment that field 7 of a receipt names: `production`, or `sandbox` for development.
    public init?(receiptField text: String) {
        switch text {
        case "production": self = .production
        case "sandbox": self = .development
        default: return nil
        }
    }
}
