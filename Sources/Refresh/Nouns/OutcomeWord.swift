/// How a try ended, in one stable word: stored, counted, and written in events.
package enum OutcomeWord: String, Hashable, Sendable, CaseIterable {
    /// A newer receipt took the stored one's place.
    case replaced
    /// A verified answer that the store already had, or had a newer one than.
    case superseded
    /// 304: too early, or our idea of not-before is off.
    case early
    /// 404.
    case quiet
    /// Put aside in this run without charge.
    case held
    /// Put aside for a person.
    case quarantined
    /// Not answered as hoped and not the receipt's fault: 429, 5xx, timeouts, odd answers.
    case failed
}
