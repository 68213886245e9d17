/// How often a key is read while its receipt's window is open. Settings of an app; defaults from `Cadence.standard`.
package struct Cadence: Hashable, Sendable {
    /// Between readings of a subject without a flag.
    package let clear: Duration
    /// Between readings of a flagged subject; the window's opening is the earliest in any case.
    package let flagged: Duration
    /// Between tries while Apple answers 404.
    package let quiet: Duration
    /// Between readings of a device's older keys.
    package let background: Duration
    /// Within which a fresh key's first reading is taken, spread evenly.
    package let firstReading: Duration
    /// For flagged subjects there are so many calls a day; more of them are read more seldom each.
    package let flaggedCallsADay: Int

    /// Puts the parts together; nothing is checked.
    package init(
        clear: Duration, flagged: Duration, quiet: Duration, background: Duration, firstReading: Duration,
        flaggedCallsADay: Int = standardFlaggedCallsADay
    ) {
        self.clear = clear
        self.flagged = flagged
        self.quiet = quiet
        self.background = background
        self.firstReading = firstReading
        self.flaggedCallsADay = flaggedCallsADay
    }

    /// A day's calls for flagged subjects where nothing else is set.
    package static let standardFlaggedCallsADay = 10_000

    /// More flagged subjects than this change nothing any more: each is read as a clear one is.
    package var mostFlagged: Int { Int((clear / .days(1) * Double(flaggedCallsADay)).rounded(.up)) }

    /// The cadence while so many subjects of the app are flagged: between `flagged` and `clear`.
    package func stretched(forFlagged count: Int) -> Cadence {
        let wanted = Duration.days(1) * (Double(count) / Double(flaggedCallsADay))
        return Cadence(
            clear: clear, flagged: min(max(flagged, wanted), clear), quiet: quiet, background: background,
            firstReading: firstReading, flaggedCallsADay: flaggedCallsADay)
    }

    /// 7 d, 1 d, 14 d, 14 d, 1 h; 10,000 calls a day for flagged subjects.
    package static let standard = Cadence(
        clear: .seconds(7 * 86_400), flagged: .seconds(86_400), quiet: .seconds(14 * 86_400),
        background: .seconds(14 * 86_400), firstReading: .seconds(3_600))
}
