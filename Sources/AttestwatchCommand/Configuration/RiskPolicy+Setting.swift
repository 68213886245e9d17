import Risk

extension RiskPolicy {
    /// Reads `levels`; a level that is not given keeps its default, and all three are then held against each other.
    init(_ setting: Setting) throws(ConfigurationError) {
        let object = try setting.object(keys: AppSettings.levelKeys)
        var thresholds: [FlagLevel: Threshold] = [:]
        for level in FlagLevel.allCases {
            let standard = RiskPolicy.standard.threshold(of: level)
            thresholds[level] =
                try object.value(level.rawValue, default: standard) { member throws(ConfigurationError) in
                    try Threshold(member)
                }
        }
        self.init(
            watch: thresholds[.watch] ?? RiskPolicy.standard.watch,
            review: thresholds[.review] ?? RiskPolicy.standard.review,
            high: thresholds[.high] ?? RiskPolicy.standard.high)
        try checkOrder(.watch, below: .review, setting)
        try checkOrder(.review, below: .high, setting)
    }

    private func checkOrder(
        _ lower: FlagLevel, below higher: FlagLevel, _ setting: Setting
    ) throws(ConfigurationError) {
        let low = threshold(of: lower)
        let high = threshold(of: higher)
        let hint = "levels that are not given keep their defaults; give both where one moves past the other"
        guard low.raise < high.raise else {
            throw .contradiction(
                setting.place,
                "\(lower).raise must be less than \(higher).raise, found \(low.raise) and \(high.raise)", hint: hint)
        }
        guard low.clear <= high.clear else {
            throw .contradiction(
                setting.place,
                "\(lower).clear must not be greater than \(higher).clear, found \(low.clear) and \(high.clear)",
                hint: hint)
        }
    }
}

extension Threshold {
    fileprivate init(_ setting: Setting) throws(ConfigurationError) {
        let object = try setting.object(keys: AppSettings.thresholdKeys)
        let raise = try object.required("raise", "an integer").integer(in: 1...1_000_000)
        let clear = try object.required("clear", "an integer").integer(in: 0...999_999)
        guard raise > clear else {
            throw .contradiction(
                setting.place, "raise must be greater than clear, found \(raise) and \(clear)",
                hint: "the gap between them keeps a metric that moves by one from raising and clearing in turn")
        }
        self.init(raise: raise, clear: clear)
    }
}
