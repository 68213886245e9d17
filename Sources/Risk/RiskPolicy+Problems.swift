extension RiskPolicy {
    /// What is wrong with these thresholds, each in one line with both values; empty when they can be used.
    ///
    /// A level needs room between raising and clearing, or it flaps; a higher level is raised later than a lower one,
    /// and is not cleared below it, or a falling metric would clear a flag that is still worth a lower level.
    package var problems: [String] {
        let levels = FlagLevel.allCases.map { (name: $0.rawValue, threshold: threshold(of: $0)) }
        var problems: [String] = []
        for (name, threshold) in levels {
            if threshold.clear < 0 {
                problems.append("\(name).clear must be 0 or more, found \(threshold.clear)")
            }
            if threshold.clear >= threshold.raise {
                problems.append("\(name).clear (\(threshold.clear)) must be below \(name).raise (\(threshold.raise))")
            }
        }
        for (lower, higher) in zip(levels, levels.dropFirst()) {
            if lower.threshold.raise >= higher.threshold.raise {
                problems.append(
                    "\(lower.name).raise (\(lower.threshold.raise)) must be below "
                        + "\(higher.name).raise (\(higher.threshold.raise))")
            }
            if lower.threshold.clear > higher.threshold.clear {
                problems.append(
                    "\(lower.name).clear (\(lower.threshold.clear)) must not be above "
                        + "\(higher.name).clear (\(higher.threshold.clear))")
            }
        }
        return problems
    }
}
