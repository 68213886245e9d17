import AppAttest
import Refresh

/// What the command line says of an ingest.
struct IngestOptions: Sendable {
    /// How rows are written.
    static let format = OptionSyntax(
        "--format", "csv|ndjson", "how rows are written (else FILE's name says it, else its start)")
    /// Stands for a missing `app_id`.
    static let app = OptionSyntax("--app", "ID", "the App ID of rows that name none")
    /// Stands for a missing `environment`.
    static let environment = OptionSyntax("--environment", "ENV", "the environment of rows that name none")
    /// Spreads first readings.
    static let spread = OptionSyntax(
        "--spread", "D", "first readings of new keys come evenly over this time, 1h to 60d, behind all others")
    /// Where rejected rows go.
    static let rejects = OptionSyntax("--rejects", "FILE", "append one JSON object for each rejected row")
    /// Begins anew.
    static let restart = OptionSyntax("--restart", nil, "begin anew where an earlier run was interrupted")

    /// All of them.
    static let all = [format, app, environment, spread, rejects, restart]

    /// Nil: found out.
    let format: IngestFormat?
    /// Nil: every row says it.
    let app: AppID?
    /// Nil: the row or the receipt says it.
    let environment: Environment?
    /// Nil: as any fresh key.
    let spread: Duration?
    /// Nil: standard error.
    let rejects: String?
    /// Whether to begin anew.
    let restart: Bool

    /// Reads the command line.
    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        do throws(UsageError) {
            format = try arguments.value(Self.format, as: "csv or ndjson", IngestFormat.init(rawValue:))
            app = try arguments.value(Self.app, as: "a configured App ID", AppID.init)
            environment = try arguments.value(
                Self.environment, as: "production or development", Environment.init(rawValue:))
            spread = try arguments.value(Self.spread, as: "a time from 1h to 60d, such as 7d") { text in
                DurationText.parse(text).flatMap { SchedulePlanner.spreadBounds.contains($0) ? $0 : nil }
            }
        } catch {
            throw .usage(error)
        }
        rejects = arguments.value(Self.rejects)
        restart = arguments.has(Self.restart)
    }

    /// Columns that the command line stands in for.
    var given: Set<IngestColumn> {
        var given: Set<IngestColumn> = []
        if app != nil { given.insert(.appID) }
        if environment != nil { given.insert(.environment) }
        return given
    }

    /// Puts in what a row leaves out.
    func complete(_ fields: IngestFields) -> IngestFields {
        var fields = fields
        if fields[.appID] == nil { fields[.appID] = app?.text }
        if fields[.environment] == nil { fields[.environment] = environment?.rawValue }
        return fields
    }

    /// Looks whether the app is one of the configuration's.
    func check(_ configuration: Configuration) throws(CommandFailure) {
        guard let app, !configuration.apps.contains(where: { $0.appID == app }) else { return }
        throw .usage(.badValue(Self.app.name, expected: "a configured App ID", found: app.text))
    }
}
