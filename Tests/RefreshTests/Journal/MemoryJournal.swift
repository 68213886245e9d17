import AppAttest
import Refresh
import Synchronization

/// A journal in memory, under the contract of the seam: entries are there until they are settled.
final class MemoryJournal: AnswerJournaling {
    struct State: Sendable {
        var groups: [[JournalEntry]] = []
        var settled: [Int: Int] = [:]
        var failingGroup = Int.max
        var left: [[JournalEntry]] = []
        var taken: [JournalEntry]?
        var read = 0
        var finished: [JournalRemainder?] = []
    }

    static let full = JournalFailure.cannotWrite(folder: "/state", reason: "no space left on device")

    private let state: Mutex<State>

    /// Groups are counted from 1; from `failingGroup` on none can be written. `left` is what earlier runs left.
    init(failingGroup: Int = .max, left: [[JournalEntry]] = []) {
        var state = State()
        state.failingGroup = failingGroup
        state.left = left
        self.state = Mutex(state)
    }

    var entries: [JournalEntry] { state.withLock { $0.groups.flatMap(\.self) } }
    /// Entries whose place was settled once for each.
    var settledCount: Int { state.withLock { $0.settled.values.reduce(0, +) } }
    var isAllSettled: Bool {
        state.withLock { state in
            state.groups.indices.allSatisfy { state.settled[$0, default: 0] == state.groups[$0].count }
        }
    }
    var left: Int { state.withLock { $0.left.count } }
    /// Of each journal that was finished, why it was kept.
    var finished: [JournalRemainder?] { state.withLock { $0.finished } }

    func append(_ entries: [JournalEntry]) async throws(JournalFailure) -> JournalPlace {
        let place = state.withLock { state -> Int? in
            guard state.groups.count + 1 < state.failingGroup else { return nil }
            state.groups.append(entries)
            return state.groups.count - 1
        }
        guard let place else { throw Self.full }
        return JournalPlace(file: place)
    }

    func settle(_ counts: [JournalPlace: Int]) async {
        state.withLock { state in
            for (place, count) in counts { state.settled[place.file, default: 0] += count }
        }
    }

    func takeLeft() async throws(JournalFailure) -> Bool {
        state.withLock { state in
            state.taken = state.left.first
            state.read = 0
            return state.taken != nil
        }
    }

    func readLeft(limit: Int) async throws(JournalFailure) -> [JournalEntry] {
        state.withLock { state in
            let entries = Array((state.taken ?? []).dropFirst(state.read).prefix(limit))
            state.read += entries.count
            return entries
        }
    }

    func finishLeft(keeping: JournalRemainder?) async throws(JournalFailure) -> LeftJournalEnd {
        state.withLock { state in
            state.left.removeFirst()
            state.finished.append(keeping)
        }
        return LeftJournalEnd(keptPath: keeping.map { "/state/old.journal.\($0.rawValue)" })
    }
}
