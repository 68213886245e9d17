import AppAttest
import ReceiptStore
import Refresh
import Reporting
import System

/// Rows on their way in, a batch at a time: while one is stored, the next is read, and judged on all cores. Memory
/// holds these two, however many rows there are.
struct Ingest: ~Copyable {
    /// What rows are judged and stored with.
    struct Parts: Sendable {
        /// What the input is called.
        let inputName: String
        /// Decides which rows go in.
        let judge: IngestJudge
        /// Takes them in.
        let store: PostgresIntakeStore
        /// What the command line says.
        let options: IngestOptions
        /// Where the time comes from, and where to tell what.
        let context: CommandContext
        /// Whether a request to end has come.
        let stopRequested: @Sendable () -> Bool
    }

    /// What is read and judged.
    private struct Batch: Sendable {
        var intakes: [(line: Int, intake: VerifiedIntake)] = []
        var rejected: [RejectedRow] = []
        var end: PieceReader.Position
        var reading = Reading.goesOn

        var count: Int { intakes.count + rejected.count }
    }

    private enum Reading: Sendable {
        case goesOn, isComplete, wasStopped
        case failed(SystemError)
        /// Where rows end and begin is not known from here on.
        case isDamaged(CSVDamage)
    }

    private static let batchSize = 250
    // A few for each core, each long enough to be worth a task.
    private static let sliceSize = 25

    /// What became of the rows so far.
    private(set) var counts = IngestCounts()
    /// Where the first row begins that is not stored.
    private(set) var end: PieceReader.Position

    private let parts: Parts
    private let before: IngestBookmark?
    private var lastStored: KeyIdentifier?
    private var rows: IngestRows
    private var rejects: RejectLog
    private var bookmark: IngestBookmarkFile?
    private var display: IngestDisplay

    /// Nothing is read yet.
    ///
    /// - Parameters:
    ///   - bookmark: where to keep how far it has come; nil: nowhere.
    ///   - before: what an earlier run has done.
    init(
        _ rows: IngestRows, parts: Parts, rejects: consuming RejectLog, bookmark: IngestBookmarkFile?,
        after before: IngestBookmark?, size: Int64?
    ) {
        self.rows = rows
        self.parts = parts
        self.rejects = rejects
        self.bookmark = bookmark
        self.before = before
        lastStored = before?.lastStored
        end = rows.position
        display = IngestDisplay(parts.context, from: rows.position.offset, size: size)
    }

    /// Reads to the end, or until a stop is asked for; says whether it came to the end. What was read is stored then.
    ///
    /// - Throws: likewise once what was read is stored, where no more can be read. A quote that nothing ends would have
    ///   all rows behind it pass for one, so that it is the end too.
    mutating func run() async throws(CommandFailure) -> Bool {
        defer { display.erase() }
        var batch = Batch(end: end)
        while true {
            let (store, intakes, now) = (parts.store, batch.intakes.map(\.intake), parts.context.clock.now())
            async let stored = Self.store(intakes, in: store, now: now)
            let next = if case .goesOn = batch.reading { await nextBatch() } else { batch }
            try settle(batch, await stored)
            switch batch.reading {
            case .goesOn: batch = next
            case .wasStopped: return false
            case .failed(let error): throw .inputUnreadable(error)
            case .isDamaged(let damage): throw .inputDamaged(parts.inputName, damage)
            case .isComplete:
                if let bookmark { try? bookmark.remove() }
                return true
            }
        }
    }

    private static func store(
        _ intakes: [VerifiedIntake], in store: PostgresIntakeStore, now: Instant
    ) async -> Result<[IntakeOutcome], StoreFailure> {
        do throws(StoreFailure) { return .success(try await store.takeIn(intakes, now: now)) } catch {
            return .failure(error)
        }
    }

    private mutating func nextBatch() async -> Batch {
        var read: [IngestRow] = []
        var (end, reading) = (rows.position, Reading.goesOn)
        do throws(SystemError) {
            while read.count < Self.batchSize {
                if parts.stopRequested() {
                    reading = .wasStopped
                    break
                }
                guard let row = try rows.next() else {
                    reading = rows.isInterrupted ? .wasStopped : .isComplete
                    break
                }
                if case .failure(.notCSV(let damage)) = row.fields, case .unclosedQuote = damage {
                    reading = .isDamaged(damage)
                    break
                }
                read.append(row)
                end = rows.position
            }
        } catch {
            reading = .failed(error)
        }
        var batch = Batch(end: end, reading: reading)
        for judged in await Self.judge(read, with: parts) {
            switch judged {
            case .success(let intake): batch.intakes.append(intake)
            case .failure(let rejected): batch.rejected.append(rejected)
            }
        }
        return batch
    }

    private typealias Judged = Result<(line: Int, intake: VerifiedIntake), RejectedRow>

    /// Judges rows side by side; the results are in their order.
    private static func judge(_ rows: [IngestRow], with parts: Parts) async -> [Judged] {
        await withTaskGroup(of: (place: Int, judged: [Judged]).self) { group in
            for place in stride(from: 0, to: rows.count, by: sliceSize) {
                group.addTask { (place, rows[place...].prefix(sliceSize).map { judge($0, with: parts) }) }
            }
            var slices: [(place: Int, judged: [Judged])] = []
            for await slice in group { slices.append(slice) }
            return slices.sorted { $0.place < $1.place }.flatMap(\.judged)
        }
    }

    private static func judge(_ row: IngestRow, with parts: Parts) -> Judged {
        var fields = IngestFields()
        do throws(IngestRejection) {
            fields = parts.options.complete(try row.fields.get())
            var intake = try parts.judge.judge(try IngestLine(fields))
            intake.spread = parts.options.spread
            return .success((row.line, intake))
        } catch {
            return .failure(
                RejectedRow(line: row.line, rejection: error, appID: fields.knownAppID, keyID: fields.knownKeyID))
        }
    }

    /// Counts what became of a batch, tells of what did not go in, and keeps how far that is.
    private mutating func settle(
        _ batch: Batch, _ stored: Result<[IntakeOutcome], StoreFailure>
    ) throws(CommandFailure) {
        let outcomes: [IntakeOutcome]
        do throws(StoreFailure) { outcomes = try stored.get() } catch { throw .store(error) }
        guard batch.count > 0 else { return }
        var rejected = batch.rejected
        for row in rejected { counts.count(row.rejection) }
        for (entry, outcome) in zip(batch.intakes, outcomes) {
            counts.count(outcome)
            guard case .rejected(let rejection) = outcome.result else {
                lastStored = outcome.keyID
                continue
            }
            rejected.append(
                RejectedRow(
                    line: entry.line, rejection: .store(rejection), appID: entry.intake.receipt.payload.appID,
                    keyID: outcome.keyID))
        }
        counts.lines += batch.count
        rejected.sort { $0.line < $1.line }
        if !rejected.isEmpty { display.erase() }
        try rejects.add(rejected)
        end = batch.end
        keepPlace()
        display.show(rows: counts.lines, rejected: counts.rejected, offset: end.offset)
    }

    private mutating func keepPlace() {
        do throws(SystemError) {
            try bookmark?.write(
                IngestBookmark(
                    position: end, lines: counts.lines + (before?.lines ?? 0),
                    rejected: counts.rejected + (before?.rejected ?? 0), lastStored: lastStored))
        } catch {
            display.erase()
            parts.context.warn(
                "cannot write \(error.path): \(error.reason); should this be interrupted, it is to begin anew")
            bookmark = nil
        }
    }
}

/// The progress line on a terminal.
private struct IngestDisplay {
    private static let betweenLines = Duration.milliseconds(200)

    private let terminal: FileDescriptor?
    private let timer = MonotonicTimer(stopRequested: { false })
    private let start: Int64
    private let size: Int64?
    private var lastShown: Duration?
    private var isShown = false

    /// A line on standard error, where that is a terminal.
    init(_ context: CommandContext, from start: Int64, size: Int64?) {
        terminal = context.errors.isTerminal ? context.errors : nil
        self.start = start
        self.size = size
    }

    /// Brings it up to date, not too often.
    mutating func show(rows: Int, rejected: Int, offset: Int64) {
        guard let terminal else { return }
        let elapsed = timer.now()
        if let lastShown, elapsed - lastShown < Self.betweenLines { return }
        let progress = IntakeProgress(
            rows: rows, rejected: rejected, bytes: offset - start, allBytes: size.map { $0 - start }, elapsed: elapsed)
        try? terminal.write(Array(progress.line.utf8))
        lastShown = elapsed
        isShown = true
    }

    /// Takes it away before anything else is printed.
    mutating func erase() {
        guard isShown else { return }
        try? terminal?.write(Array(Progress.erasedLine.utf8))
        isShown = false
        lastShown = nil
    }
}
