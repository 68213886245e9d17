/// For what a receipt is sent: the parts of the calls that a plan counts.
package enum CallKind: String, Hashable, Sendable, CaseIterable {
    /// Of a key that has no reading of its own yet.
    case firstReading = "first_reading"
    /// Of a subject without a flag.
    case clear
    /// Of a flagged subject.
    case flagged
    /// Of a key to which Apple answered 404 the last time.
    case quiet
    /// Of a device's older key.
    case background
}
