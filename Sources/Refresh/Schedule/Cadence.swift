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

    /// Puts the parts together; nothing is checked.
    package init(
        clear: Duration, flagged: Duration, quiet: Duration, background: Duration, firstReading: Duration
    ) {
        self.clear = clear
        self.flagged = flagged
        self.quiet = quiet
        self.background = background
        self.firstReading = firstReading
    }

    /// 7 d, 1 d, 14 d, 14 d, 1 h.
    package static let standard = Cadence(
        clear: .seconds(7 * 86_400), flagged: .seconds(86_400), quiet: .seconds(14 * 86_400),
        background: .seconds(14 * 86_400), firstReading: .seconds(3_600))
}
