import AppAttest
import Refresh
import System

/// A run's journal in the files of the state folder: `System`'s journal behind the protocol that `Refresh` knows.
actor AnswerJournal: AnswerJournaling {
    private let folder: String
    private let journal: Journal
    private var strange = 0

    /// A journal in a folder that `StateDirectory.prepare` has approved.
    init(folder: String) throws(SystemError) {
        self.folder = folder
        var random = SystemRandomNumberGenerator()
        // 128 bits: no two runs ever share a name.
        let run = (random.next() as UInt128).hexadecimal
        journal = try Journal(folder: folder, run: run)
    }

    nonisolated func append(_ entries: [JournalEntry]) async throws(JournalFailure) -> JournalPlace {
        do throws(JournalError) {
            return JournalPlace(file: try await journal.append(entries.map(\.octets)))
        } catch {
            throw .cannotWrite(folder: folder, reason: error.reason)
        }
    }

    nonisolated func settle(_ counts: [JournalPlace: Int]) async {
        for (place, count) in counts { await journal.settle(count, in: place.file) }
    }

    /// Ends the writing; entries that are not settled are left for the next run.
    nonisolated func close() async {
        await journal.close()
    }

    func takeLeft() async throws(JournalFailure) -> Bool {
        strange = 0
        do throws(JournalError) {
            return try await journal.takeLeft() != nil
        } catch {
            throw .cannotRead(path: error.path, reason: error.reason)
        }
    }

    func readLeft(limit: Int) async throws(JournalFailure) -> [JournalEntry] {
        do throws(JournalError) {
            while true {
                let records = try await journal.readLeft(limit: limit)
                let entries = records.compactMap(JournalEntry.init(octets:))
                strange += records.count - entries.count
                if records.isEmpty || !entries.isEmpty { return entries }
            }
        } catch {
            throw .cannotRead(path: error.path, reason: error.reason)
        }
    }

    func finishLeft(keeping: JournalRemainder?) async throws(JournalFailure) -> LeftJournalEnd {
        do throws(JournalError) {
            let loss = await journal.leftLoss
            var end = LeftJournalEnd(damage: loss.map(JournalDamage.init))
            if strange > 0, let path = await journal.leftPath {
                end.damage =
                    end.damage
                    ?? JournalDamage(
                        path: path, dropped: 0, reason: "expected answers, found \(strange) records that are none",
                        isTornTail: false)
            }
            if case .version = loss?.cause {
                await journal.leaveLeft()
            } else if end.damage?.isTornTail == false {
                end.keptPath = try await journal.setLeftAside(suffix: "damaged")
            } else if let keeping {
                end.keptPath = try await journal.setLeftAside(suffix: keeping.rawValue)
            } else {
                try await journal.removeLeft()
            }
            return end
        } catch {
            throw .cannotRead(path: error.path, reason: error.reason)
        }
    }
}

extension JournalDamage {
    fileprivate init(_ loss: JournalLoss) {
        self.init(path: loss.file, dropped: loss.dropped, reason: loss.reason, isTornTail: loss.isTornTail)
    }
}
