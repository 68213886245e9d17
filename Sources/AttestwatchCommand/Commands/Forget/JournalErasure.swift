import AppAttest
import ReceiptStore
import Refresh
import System

/// Takes the entries of keys that are not on record out of this machine's journals.
///
/// That they are not on record is all that is asked: so a second time finishes what a first one had to leave, and on
/// another machine it takes out what was erased here. A replay would put none of them back.
struct JournalErasure: Sendable {
    /// What was done, and what was not.
    struct Result: Hashable, Sendable {
        /// Entries that went.
        var entries = 0
        /// Journals of runs that go on.
        var held: [String] = []
        /// Journals that a person has to look at, each with what was expected and found.
        var unread: [Unread] = []
    }

    /// A journal that may still hold what was to go.
    struct Unread: Hashable, Sendable {
        /// Its path.
        let path: String
        /// Expected and found.
        let reason: String
    }

    /// The state folder.
    let folder: String
    /// What is on record.
    let store: PostgresErasureStore
    /// Keys that are about to go, when nothing is to be changed; nil: what is not on record goes.
    let rehearsed: Set<KeyIdentifier>?

    /// Does it; a journal that cannot be read or written is named, and the others are done.
    ///
    /// - Throws: when the folder cannot be read, or the database is away.
    func run() async throws(CommandFailure) -> Result {
        var result = Result()
        guard fileExists(folder) else { return result }
        let eraser: JournalEraser
        do throws(SystemError) { eraser = try JournalEraser(folder: folder) } catch { throw .system(error) }
        let journals: [String]
        do throws(JournalError) {
            journals = try await eraser.journals()
        } catch {
            throw .stateDirectory(folder, reason: error.reason)
        }
        for path in journals { try await strike(path, eraser, &result) }
        await eraser.close()
        return result
    }

    private func strike(
        _ path: String, _ eraser: JournalEraser, _ result: inout Result
    ) async throws(CommandFailure) {
        let content: JournalEraser.Content?
        do throws(JournalError) {
            content = try await eraser.open(path)
        } catch {
            return result.unread.append(Unread(path: path, reason: error.reason))
        }
        guard let content else {
            if fileExists(path) { result.held.append(path) }
            return
        }
        let keys = content.records.map { JournalEntry(octets: $0)?.keyID }
        let gone = try await erased(Set(keys.compactMap(\.self)))
        let kept = zip(content.records, keys).filter { _, key in key.map { !gone.contains($0) } ?? true }.map(\.0)
        let struck = content.records.count - kept.count
        if rehearsed == nil, struck > 0 || content.loss?.isTornTail == true {
            do throws(JournalError) {
                try await eraser.replaceRecords(with: kept)
            } catch {
                return result.unread.append(Unread(path: path, reason: error.reason))
            }
        }
        result.entries += struck
        let strange = keys.count { $0 == nil }
        if let loss = content.loss, !loss.isTornTail {
            result.unread.append(Unread(path: path, reason: "\(loss.reason), at byte \(loss.offset)"))
        } else if strange > 0 {
            result.unread.append(
                Unread(path: path, reason: "expected answers, found \(strange) records that are none"))
        }
    }

    /// Those of these keys whose entries go.
    private func erased(_ keys: Set<KeyIdentifier>) async throws(CommandFailure) -> Set<KeyIdentifier> {
        guard !keys.isEmpty else { return [] }
        do throws(StoreFailure) {
            let gone = keys.subtracting(try await store.onRecord(keys))
            return gone.union(keys.intersection(rehearsed ?? []))
        } catch {
            throw .store(error)
        }
    }
}
