import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Reporting
import System
import Verification

/// `attestwatch ingest FILE|-`.
enum IngestCommand {
    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "ingest", operands: "FILE|-", operandCount: 1...1,
        summary: "Take in keys and their receipts.",
        details: """
            FILE holds one JSON object a line: app_id, key_id and receipt (base64 of any flavour), and optionally
            environment, device_ref, user_ref and attested_time. Each receipt is verified as of its creation time; what
            is not taken in is named on standard error with its line and the reason. Taking in twice changes nothing.
            Exit code 0: every line was taken in or known; 1: some were rejected.
            """,
        options: [.config, .json])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let input = try Input(arguments.operands[0], context)
        let configuration = try context.configuration(arguments)
        let verifier = try configuration.receiptVerifier()
        let database = try await configuration.openCheckedDatabase()
        /// Takes them in.
        let store = PostgresIntakeStore(database: database, rules: configuration.storeRules)
        /// Decides which lines go in.
        let judge = IngestJudge(apps: configuration.apps, verifier: verifier, clock: context.clock)
        var ingest = Ingest(judge: judge, store: store, context: context)
        try await ingest.read(input.descriptor)
        try context.print(arguments.has(.json) ? ingest.counts.json : ingest.counts.text)
        if ingest.counts.deviceRefsIgnored > 0 {
            context.warn("\(ingest.counts.deviceRefsIgnored) lines name another device_ref than the one on record")
        }
        return ingest.counts.rejected > 0 ? .attention : .success
    }
}

/// Where the lines come from; the file is closed when this goes out of scope.
private struct Input: ~Copyable {
    /// What to read.
    let descriptor: FileDescriptor
    private let file: OpenFile?

    /// Opens the file to read; `-` is standard input.
    init(_ name: String, _ context: CommandContext) throws(CommandFailure) {
        guard name != "-" else {
            self.descriptor = context.input
            self.file = nil
            return
        }
        do throws(SystemError) {
            let file = try OpenFile.reading(name)
            self.descriptor = file.descriptor
            self.file = consume file
        } catch {
            throw .inputUnreadable(error)
        }
    }
}

/// The lines on their way in, a batch at a time.
private struct Ingest {
    // A receipt of 64 KiB in base64, and room for the references beside it.
    private static let lineLimit = 1 << 18
    private static let batchSize = 250

    let judge: IngestJudge
    /// Takes them in.
    let store: PostgresIntakeStore
    /// Where rejections are told.
    let context: CommandContext
    /// What became of the lines so far.
    private(set) var counts = IngestCounts()
    private var batch: [(line: Int, intake: VerifiedIntake)] = []

    /// Nothing is read yet.
    init(judge: IngestJudge, store: PostgresIntakeStore, context: CommandContext) {
        self.judge = judge
        self.store = store
        self.context = context
    }

    /// Reads to the end; a batch that is full is stored before the next line is read.
    mutating func read(_ descriptor: FileDescriptor) async throws(CommandFailure) {
        var reader = LineReader(descriptor, limit: Self.lineLimit)
        var number = 0
        while let line = try Self.next(&reader) {
            number += 1
            if case .text(let text) = line, text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { continue }
            counts.lines += 1
            do throws(IngestRejection) {
                batch.append((number, try judge(line)))
            } catch {
                reject(number, error)
            }
            if batch.count == Self.batchSize { try await storeBatch() }
        }
        try await storeBatch()
    }

    private static func next(_ reader: inout LineReader) throws(CommandFailure) -> LineReader.Line? {
        do throws(SystemError) {
            return try reader.next()
        } catch {
            throw .inputUnreadable(error)
        }
    }

    private func judge(_ line: LineReader.Line) throws(IngestRejection) -> VerifiedIntake {
        switch line {
        case .text(let text): try judge.judge(try IngestLine(text))
        case .tooLong: throw .tooLong(limit: Self.lineLimit)
        }
    }

    private mutating func storeBatch() async throws(CommandFailure) {
        guard !batch.isEmpty else { return }
        let outcomes: [IntakeOutcome]
        do throws(StoreFailure) {
            outcomes = try await store.takeIn(batch.map(\.intake), now: context.clock.now())
        } catch {
            throw .store(error)
        }
        for (entry, outcome) in zip(batch, outcomes) {
            if case .rejected(let rejection) = outcome.result {
                reject(entry.line, .store(rejection))
            } else {
                counts.count(outcome)
            }
        }
        batch.removeAll(keepingCapacity: true)
    }

    private mutating func reject(_ line: Int, _ rejection: IngestRejection) {
        counts.rejected += 1
        context.note("line \(line): rejected: \(printable(rejection.description))")
    }
}
