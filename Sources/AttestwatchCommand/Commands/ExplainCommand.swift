import AppAttest
import ReceiptStore
import Refresh
import Reporting

/// `attestwatch explain`.
enum ExplainCommand {
    /// Narrows by app.
    static let app = OptionSyntax("--app", "ID", "only the devices of this App ID")

    /// The command line it takes.
    static let syntax = CommandSyntax(
        name: "explain", operands: "KEY_ID|DEVICE_REF", operandCount: 1...1,
        summary: "Tell all about one key: what is stored, when it is due and why, what a run now would do.",
        details: """
            A key identifier is understood in base64, base64url and hexadecimal; any other text, and one that is of no
            key on record, is taken for the back end's name of a device, whose newest key is then told of, and others
            in short. No receipt is ever shown. Exit code 1: nothing of that name is on record.
            """,
        options: [.config, .json, app])

    /// Does the work; errors end the program with their exit code.
    static func run(_ arguments: ParsedArguments, _ context: CommandContext) async throws(CommandFailure) -> ExitCode {
        let asked = arguments.operands[0]
        let onlyApp: AppID?
        do throws(UsageError) {
            onlyApp = try arguments.value(app, as: "an App ID such as A1B2C3D4E5.com.example.app", AppID.init)
        } catch {
            throw .usage(error)
        }
        let configuration = try context.configuration(arguments)
        let store = PostgresSubjectRecords(database: try await configuration.openCheckedDatabase())
        let now = context.clock.now()
        let records: [SubjectRecord]
        do throws(StoreFailure) {
            records = try await find(asked, app: onlyApp, in: store, now: now)
        } catch {
            throw .store(error)
        }
        for (index, record) in records.enumerated() {
            let report = ExplainReport(configuration.explanation(of: record, now: now))
            let text = arguments.has(.json) ? report.json : (index == 0 ? "" : "\n") + report.text
            try context.print(text)
        }
        guard records.isEmpty else { return .success }
        let place = onlyApp.map { " for \($0)" } ?? ""
        context.report(
            "expected a key or a device on record\(place), found none of the name '\(excerpt(asked))'",
            hint: "a key comes on record when 'attestwatch ingest' takes in its receipt")
        return .attention
    }

    private static func find(
        _ asked: String, app: AppID?, in store: PostgresSubjectRecords, now: Instant
    ) async throws(StoreFailure) -> [SubjectRecord] {
        if let keyID = KeyIdentifierText.parse(asked), let record = try await store.record(of: keyID, at: now),
            app == nil || record.appID == app
        {
            return [record]
        }
        return try await store.records(ofDevice: asked, app: app, at: now)
    }
}

extension Configuration {
    /// A record with what follows from it under these settings.
    fileprivate func explanation(of record: SubjectRecord, now: Instant) -> Explanation {
        Explanation(
            record: record, cadence: cadences[record.appID],
            dataServer: dataServers[record.environment]?.host ?? "", now: now)
    }
}
