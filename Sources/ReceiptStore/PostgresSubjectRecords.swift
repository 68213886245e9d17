import AppAttest
import Postgres
import Refresh

/// What is stored of single subjects. Reads only, and never a receipt or a token.
package struct PostgresSubjectRecords: Sendable {
    /// How many keys are read besides the one shown in full.
    package static let otherKeys = 20
    /// How many readings and flag events are read.
    private static let history = 10

    private let database: Database

    /// Records from this database, which must be migrated (`Migrator.checkSchema`).
    package init(database: Database) {
        self.database = database
    }

    /// The subject of a key, with that key in full; nil where the key is not on record.
    package func record(of keyID: KeyIdentifier, at now: Instant) async throws(StoreFailure) -> SubjectRecord? {
        try await database.reading { connection throws(PostgresError) in
            let subjects = try connection.all(.subjectOfKey, [.bytes(keyID.bytes)]) { rows throws(PostgresError) in
                try rows.read(String.self)
            }
            guard let subject = subjects.first else { return nil }
            return try Self.record(subject, beginningWith: keyID, now: now, on: connection)
        }
    }

    /// The subjects of a device reference with their newest key in full, one for each app and environment that has seen
    /// it; empty where none has.
    package func records(
        ofDevice deviceRef: String, app: AppID?, at now: Instant
    ) async throws(StoreFailure) -> [SubjectRecord] {
        // Text that PostgreSQL cannot hold is no reference of anything.
        guard !deviceRef.utf8.contains(0) else { return [] }
        return try await database.reading { connection throws(PostgresError) in
            let subjects = try connection.all(
                .subjectsOfDevice, [.text(deviceRef), .text(app?.text)]
            ) { rows throws(PostgresError) in try rows.read(String.self) }
            var records: [SubjectRecord] = []
            for subject in subjects {
                if let record = try Self.record(subject, beginningWith: nil, now: now, on: connection) {
                    records.append(record)
                }
            }
            return records
        }
    }

    private static func record(
        _ subject: String, beginningWith keyID: KeyIdentifier?, now: Instant, on connection: borrowing Connection
    ) throws(PostgresError) -> SubjectRecord? {
        let flag = try connection.all(.flagOfSubject, [.text(subject)]) { rows throws(PostgresError) in
            FlagRecord(
                level: try rows.word(), peakMetric: try rows.read(), openedTime: try rows.instant(),
                changedTime: try rows.instant())
        }.first
        let parameters: [Parameter] = [
            .text(subject), .bytes(keyID?.bytes), .time(now - KeyStanding.freshFor), .int(Int64(1 + otherKeys)),
        ]
        let members = try connection.all(.keysOfSubject, parameters) { rows throws(PostgresError) in
            try SubjectMember(&rows, isFlagged: flag != nil)
        }
        guard let first = members.first else { return nil }
        let events = try connection.all(
            .flagEventsOfSubject, [.text(subject), .int(Int64(history))]
        ) { rows throws(PostgresError) in try FlagEvent(&rows) }
        let readings = try connection.all(
            .readingsOfKey, [.bytes(first.key.keyID.bytes), .int(Int64(history))]
        ) { rows throws(PostgresError) in
            MetricReading(time: try rows.instant(), riskMetric: try rows.read())
        }
        return SubjectRecord(
            appID: first.appID, environment: first.environment, deviceRef: first.deviceRef, keyCount: first.keyCount,
            key: first.key, otherKeys: members.dropFirst().map(\.key),
            level: try connection.one(
                .levelOfKey, [.bytes(first.key.keyID.bytes), .time(now)]
            ) { rows throws(PostgresError) in try KeyLevel(&rows) },
            flag: flag, flagEvents: events, readings: readings)
    }
}

/// A row of `Query.keysOfSubject`.
private struct SubjectMember {
    let appID: AppID
    let environment: Environment
    let deviceRef: String?
    let keyCount: Int
    let key: KeyRecord

    init(_ rows: inout Rows, isFlagged: Bool) throws(PostgresError) {
        appID = try rows.appID()
        environment = try rows.word()
        deviceRef = try rows.readOptional()
        keyCount = try rows.read()
        key = try KeyRecord(&rows, isFlagged: isFlagged)
    }
}

extension KeyRecord {
    fileprivate init(_ rows: inout Rows, isFlagged: Bool) throws(PostgresError) {
        let keyID = try rows.keyID()
        let userRef: String? = try rows.readOptional()
        let (attestedTime, addedTime) = (try rows.optionalInstant(), try rows.instant())
        let (isNewest, isHeaviest): (Bool, Bool) = (try rows.read(), try rows.read())
        let keptAnswers: Int = try rows.read()
        let receipt = try StoredReceipt(&rows)
        let reply = ReplyRecord(
            status: try rows.readOptional(), date: try rows.optionalInstant(), traceID: try rows.readOptional(),
            spanID: try rows.readOptional(), excerpt: try rows.readOptional())
        let schedule = ScheduleRow(
            shard: try rows.read(), rank: try rows.rank(), dueTime: try rows.instant(), state: try rows.word(),
            quarantineReason: try rows.optionalWord(), attempts: try rows.read(), failures: try rows.read(),
            lastOutcome: try rows.optionalWord(), lastOutcomeTime: try rows.optionalInstant())
        let expiredTryTime = try rows.optionalInstant()
        self.init(
            keyID: keyID, userRef: userRef, attestedTime: attestedTime, addedTime: addedTime, receipt: receipt,
            schedule: schedule, expiredTryTime: expiredTryTime, reply: reply, isNewest: isNewest,
            isReader: isNewest || isFlagged && isHeaviest, keptAnswers: keptAnswers)
    }
}

extension StoredReceipt {
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        self.init(
            type: try rows.word(), creationTime: try rows.instant(), notBefore: try rows.optionalInstant(),
            expirationTime: try rows.instant(), storedTime: try rows.instant(), riskMetric: try rows.readOptional(),
            metricTime: try rows.optionalInstant(), replacedCreationTime: try rows.optionalInstant(),
            tokenChangedTime: try rows.optionalInstant())
    }
}

extension FlagEvent {
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        self.init(
            time: try rows.instant(), kind: try rows.read(), fromLevel: try rows.optionalWord(),
            toLevel: try rows.optionalWord(), riskMetric: try rows.readOptional(),
            keyID: try rows.readOptional("a key identifier") { (bytes: [UInt8]) in KeyIdentifier(bytes) },
            actor: try rows.read(), verdict: try rows.readOptional(), note: try rows.readOptional())
    }
}

extension KeyLevel {
    /// From the row of `Query.levelOfKey`.
    init(_ rows: inout Rows) throws(PostgresError) {
        self.init(
            level: try rows.read(), riskMetric: try rows.readOptional(), metricTime: try rows.optionalInstant(),
            flagLevel: try rows.optionalWord())
    }
}
