import AppAttest
import Refresh

extension Cadence {
    /// From this age on a reading counts as stale: Apple's metric speaks of 30 days.
    static let freshLength: Duration = .days(30)

    /// Reads `cadence`; what is not given keeps its default.
    init(_ setting: Setting) throws(ConfigurationError) {
        // A receipt lives 90 days: a cadence past 60 would leave no time to try again.
        let bounds: ClosedRange<Duration> = .minutes(1) ... .days(60)
        let object = try setting.object(keys: AppSettings.cadenceKeys)
        let standard = Cadence.standard
        func read(_ key: String, _ fallback: Duration) throws(ConfigurationError) -> Duration {
            try object.value(key, default: fallback) { member throws(ConfigurationError) in
                try member.duration(in: bounds)
            }
        }
        self.init(
            clear: try read("clear", standard.clear), flagged: try read("flagged", standard.flagged),
            quiet: try read("quiet", standard.quiet), background: try read("background", standard.background),
            firstReading: try read("first_reading", standard.firstReading),
            flaggedCallsADay: try object["flagged_calls_a_day"]?.integer(in: 1...10_000_000)
                ?? standard.flaggedCallsADay)
        try checkRelations(setting)
    }

    private func checkRelations(_ setting: Setting) throws(ConfigurationError) {
        guard clear < Self.freshLength else {
            throw .contradiction(
                setting.place,
                "clear must be shorter than the \"\(DurationText.format(Self.freshLength))\" after which a reading is "
                    + "stale, found \"\(DurationText.format(clear))\"",
                hint: "devices would be stale between their readings; the default is \"7d\"")
        }
        guard flagged <= clear else {
            throw .contradiction(
                setting.place,
                "flagged must not be longer than clear, found "
                    + "\"\(DurationText.format(flagged))\" and \"\(DurationText.format(clear))\"",
                hint: "flagged devices are read at least as often as clear ones")
        }
        guard firstReading <= clear else {
            throw .contradiction(
                setting.place,
                "first_reading must not be longer than clear, found "
                    + "\"\(DurationText.format(firstReading))\" and \"\(DurationText.format(clear))\"",
                hint: "it is the new keys that tell of misuse soonest; the default is \"1h\"")
        }
    }
}
