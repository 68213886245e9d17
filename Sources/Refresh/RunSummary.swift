/// The counts of one run, as `refresh` prints them.
package struct RunSummary: Hashable, Sendable {
    package var due = 0
    package var sent = 0
    package var replaced = 0
    package var early = 0
    package var quiet = 0
    package var superseded = 0
    package var held = 0
    package var quarantined = 0
    package var failed = 0
    package var retired = 0
    package var lost = 0
    package var flagsOpened = 0
    package var flagsRaised = 0
    package var flagsLowered = 0
    package var flagsCleared = 0

    package init() {}
}
