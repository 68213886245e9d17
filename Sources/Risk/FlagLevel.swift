/// How closely a subject wants to be looked at. A level is a reason to look closer, never to lock anyone out.
package enum FlagLevel: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Worth a glance at the next occasion.
    case watch
    /// Wants a person's eyes.
    case review
    /// Wants them soon.
    case high

    /// By severity.
    package static func < (left: FlagLevel, right: FlagLevel) -> Bool {
        left.severity < right.severity
    }

    private var severity: Int {
        switch self {
        case .watch: 1
        case .review: 2
        case .high: 3
        }
    }
}
