import AppAttest

/// A subject's record with what follows from it at one time, under the settings of its app.
package struct Explanation: Hashable, Sendable {
    /// What is stored.
    package let record: SubjectRecord
    /// The cadence in force; nil where the app is not configured.
    package let cadence: Cadence?
    /// Where a receipt of its environment is sent.
    package let dataServer: String
    /// The time for which all of it holds.
    package let now: Instant

    /// Puts the parts together.
    package init(record: SubjectRecord, cadence: Cadence?, dataServer: String, now: Instant) {
        self.record = record
        self.cadence = cadence
        self.dataServer = dataServer
        self.now = now
    }

    /// The key's window.
    package var window: RefreshWindow { record.key.receipt.window }

    /// Why the key is due when it is.
    package var reason: DueReason {
        let (key, receipt) = (record.key, record.key.receipt)
        let dates = ReceiptDates(
            type: receipt.type, creationTime: receipt.creationTime, notBefore: receipt.notBefore,
            expirationTime: receipt.expirationTime, attestedTime: key.attestedTime,
            hasMetric: receipt.metricTime == receipt.creationTime)
        let standing = Standing(
            state: key.schedule.state, flagged: record.flag != nil, newestKey: key.isReader)
        return SchedulePlanner(cadence: cadence ?? .standard).reason(
            for: key.schedule, receipt: dates, standing: standing, storedTime: receipt.storedTime,
            status: key.reply.status)
    }

    /// What a run now would do with the key.
    package var step: NextStep {
        NextStep(
            for: record.key.schedule, expirationTime: record.key.receipt.expirationTime,
            expiredTryTime: record.key.expiredTryTime, isConfigured: cadence != nil, now: now)
    }
}
