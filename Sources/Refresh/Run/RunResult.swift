import AppAttest

/// How a run went.
package struct RunResult: Hashable, Sendable {
    /// The counts.
    package var summary = RunSummary()
    /// Lanes that stopped, and why.
    package var stoppedLanes: [Lane: StopCause] = [:]
    /// Lanes whose credential and requests some answer showed to be good, be it before they stopped.
    package var acceptedLanes: Set<Lane> = []
    /// Lanes of which every receipt sent was refused, though too few were sent for it to stop, and how.
    package var unprovenLanes: [Lane: StopCause] = [:]
    /// Signing keys that were refused for receipts for which another key of the lane then was taken.
    package var refusedKeys: [Lane: Set<String>] = [:]
    /// How many receipts each data server was asked for, with an answer or without; however often each was sent.
    package var asked: [Environment: Int] = [:]
    /// Data servers of which some answer verified.
    package var verified: Set<Environment> = []
    /// 200s that were not believed, be the fault the receipt's or not, by the failed step's word.
    package var doubted: [Environment: [String: Int]] = [:]
    /// Data servers that served not one of the requests sent to them, and the failure word of the last.
    package var unavailable: [Environment: String] = [:]
    /// Data servers that did their work at least once, be it with a refusal or with 429.
    package var served: Set<Environment> = []
    /// Data servers that answered with 429 and, if with anything else, with failures only.
    package var throttled: Set<Environment> = []
    /// Data servers that were failing when the run ended, so that it asked them no more, with the last failure's word.
    package var outages: [Environment: String] = [:]
    /// Data servers that wanted to be left alone for longer than a run stands still, and for how long yet.
    package var pauses: [Environment: Duration] = [:]
    /// What single answers say that somebody should know of.
    package var concerns = Concerns()
    /// The largest difference seen between a data server's `Date` and our clock, positive where theirs is ahead.
    package var clockSkew: [Environment: Duration] = [:]
    /// Outcomes that could not be stored; zero unless the store failed.
    package var unsaved = 0
    /// How many of them stand in the journal, from where the next run stores them.
    package var journaled = 0
    /// Why the journal could not be written or read. All that was received went to the store without it.
    package var journalFailure: JournalFailure?
    /// What came of the journals that runs before this one had left.
    package var replay = ReplayCounts()
    /// What back ends have handed over that still waits; nil where nobody has looked.
    package var waiting: [WaitingIntake]?
    /// Receipts taken in with another `device_ref` than the one on record, which stays.
    package var deviceRefsIgnored = 0
    /// How many outcomes the database refused for a value in them, by SQLSTATE.
    package var refusals: [String: Int] = [:]
    /// Readings that are older than their retention and were not kept, those from journals and those of receipts handed
    /// over in SQL among them.
    package var outdatedReadings = 0
    /// Requests that were given up unanswered, the grace after a request to stop being over; their rows are still due.
    package var givenUp = 0
    /// Data servers with which the run came to the end of what was due, rather than to a limit, a request to stop, or
    /// a reason to send no more.
    package var exhausted: Set<Environment> = []

    /// Nothing has happened yet.
    package init() {}

    /// The lanes that stopped because nothing showed that the fault was not ours, in order of their names.
    package var refusedLanes: [Lane] {
        stoppedLanes.filter { !$0.value.isClocksApart }.keys.sorted { $0.description < $1.description }
    }
}
