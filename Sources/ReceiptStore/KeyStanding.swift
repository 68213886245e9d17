import AppAttest
import Postgres
import Refresh

/// A key as it stands in the transaction, after its receipt was merged.
struct KeyStanding {
    /// The key.
    let keyID: KeyIdentifier
    /// `Subject.storageKey`.
    let subject: String
    /// Where its thresholds and cadence are found.
    let app: AppEnvironment
    /// SHA-256 of the stored receipt.
    let digest: SHA256Digest
    /// What the planner asks of the stored receipt.
    let dates: ReceiptDates
    /// When the stored receipt expires.
    let expirationTime: Instant
    /// Nil while the key has no schedule row yet.
    let dueTime: Instant?
    /// Nil likewise.
    let state: ReceiptState?
    /// Whether the subject has no key that was attested later.
    let isNewest: Bool
    /// Whether this key carries the subject's highest fresh reading.
    let isHeaviest: Bool
    /// The largest count that the subject's keys were read with in 30 days; nil: unknown.
    let riskMetric: Int?
    /// Whether the subject has so many keys that some are chosen to speak for it (`SpeakingKeys`).
    let hasSpeakingKeys: Bool

    /// For how long a reading speaks of its device.
    static let freshFor: Duration = .days(30)

    /// Reads the standings of these keys; an erased key is absent.
    static func read(
        _ keys: [KeyIdentifier], now: Instant, on connection: borrowing Connection
    ) throws(PostgresError) -> [KeyIdentifier: KeyStanding] {
        let parameters: [Parameter] = [.keyIDs(keys), .time(now - freshFor)]
        var standings: [KeyIdentifier: KeyStanding] = [:]
        let found = try connection.all(.keyStandings, parameters) { rows throws(PostgresError) in
            try KeyStanding(&rows)
        }
        for standing in found {
            standings[standing.keyID] = standing
        }
        return standings
    }

    private init(_ rows: inout Rows) throws(PostgresError) {
        keyID = try rows.keyID()
        subject = try rows.read()
        app = AppEnvironment(appID: try rows.appID(), environment: try rows.word())
        let attestedTime = try rows.optionalInstant()
        digest = try rows.digest()
        let type: ReceiptType = try rows.word()
        let creationTime = try rows.instant()
        let notBefore = try rows.optionalInstant()
        expirationTime = try rows.instant()
        let hasMetric: Bool = try rows.read()
        dates = ReceiptDates(
            type: type, creationTime: creationTime, notBefore: notBefore, expirationTime: expirationTime,
            attestedTime: attestedTime, hasMetric: hasMetric)
        dueTime = try rows.optionalInstant()
        state = try rows.optionalWord()
        isNewest = try rows.read()
        isHeaviest = try rows.read()
        riskMetric = try rows.readOptional()
        hasSpeakingKeys = try rows.read()
    }

    /// Whether the subject is read through this key: through its newest; while it is flagged, also through the one that
    /// carries its highest reading, so that no clean key hides a heavy device. At most two keys a device, however many
    /// it has.
    func isReader(flagged: Bool) -> Bool {
        isNewest || (flagged && isHeaviest)
    }
}
