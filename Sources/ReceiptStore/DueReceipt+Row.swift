import AppAttest
import Postgres
import Refresh

extension DueReceipt {
    /// From a row of `Query.dueReceipts`, or of `Query.receiptsOfKeys`, which has also when the key was added.
    convenience init(_ rows: inout Rows, isOfKeys: Bool = false) throws(PostgresError) {
        let keyID = try rows.keyID()
        let appID = try rows.appID()
        let environment: Environment = try rows.word()
        let deviceRef: String? = try rows.readOptional()
        let attestedTime = try rows.optionalInstant()
        let addedTime = isOfKeys ? try rows.instant() : nil
        self.init(
            keyID: keyID, appID: appID, environment: environment,
            subject: Subject(keyID: keyID, appID: appID, environment: environment, deviceRef: deviceRef),
            receipt: ReceiptBytes(try rows.read()), receiptDigest: try rows.digest(),
            creationTime: try rows.instant(), notBefore: try rows.optionalInstant(),
            expirationTime: try rows.instant(), attestedCertificateDigest: try rows.digest(),
            attestedTime: attestedTime, addedTime: addedTime, schedule: try ScheduleRow(&rows))
    }
}

extension ScheduleRow {
    /// From the schedule's columns of the same; the reason of a quarantine is not among them.
    fileprivate init(_ rows: inout Rows) throws(PostgresError) {
        self.init(
            shard: try rows.read(), rank: try rows.rank(), dueTime: try rows.instant(), state: try rows.word(),
            attempts: try rows.read(), failures: try rows.read(), lastOutcome: try rows.optionalWord(),
            lastOutcomeTime: try rows.optionalInstant())
    }
}
