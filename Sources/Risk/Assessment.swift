/// What a reading does to its subject's flag.
package enum FlagChange: Hashable, Sendable {
    /// Nothing; there may be a flag or none.
    case unchanged
    /// A flag where there was none.
    case opened(FlagLevel)
    /// To a higher level.
    case raised(from: FlagLevel, to: FlagLevel)
    /// To a lower level.
    case lowered(from: FlagLevel, to: FlagLevel)
    /// The flag is closed.
    case cleared(from: FlagLevel)
}

/// Judges a subject by its open flag and by `metric`, the largest count that its keys were read with in 30 days (nil:
/// unknown), and says what becomes of the flag.
///
/// Pure; it is run on rows read and locked inside the store transaction. An unknown metric never opens, lowers or
/// clears anything.
package func assess(metric: Int?, open level: FlagLevel?, policy: RiskPolicy) -> FlagChange {
    guard let metric else { return .unchanged }
    let reached = FlagLevel.allCases.last { metric >= policy.threshold(of: $0).raise }
    guard let level else {
        return reached.map(FlagChange.opened) ?? .unchanged
    }
    if let reached, reached > level {
        return .raised(from: level, to: reached)
    }
    if metric > policy.threshold(of: level).clear {
        return .unchanged
    }
    let kept = FlagLevel.allCases.last { $0 < level && metric > policy.threshold(of: $0).clear }
    return kept.map { .lowered(from: level, to: $0) } ?? .cleared(from: level)
}
