import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Risk
import TestSupport

/// Noon of a day far from any edge.
let start = Instant(seconds: 1_796_040_000)

let app = AppID("A1B2C3D4E5.com.example.app")!
let otherApp = AppID("A1B2C3D4E5.com.example.other")!

/// The key with this number.
func key(_ number: Int) -> KeyIdentifier {
    KeyIdentifier(filled(32, with: number))!
}

/// `count` bytes of which the last eight are a number.
func filled(_ count: Int, with number: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: count - 8)
        + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
}

/// A receipt that counts as verified; the store looks at no signature.
func receipt(
    _ number: Int, created: Instant = start, metric: Int? = nil, type: ReceiptType = .receipt, app: AppID = app,
    environment: Environment = .production, lifetime: Duration = .days(90), size: Int = 100, token: String = "token"
) -> VerifiedReceipt {
    // Other bytes for each receipt.
    let mark = number &* 1_000_000_007 ^ Int(created.microseconds) &* 31 ^ (metric ?? -1)
    let payload = ReceiptPayload(
        appID: app, attestedCertificate: [1], clientHash: [2], token: Array(token.utf8), type: type,
        environment: environment, creationTime: ReceiptTime(text: "", instant: created), riskMetric: metric,
        notBefore: type == .receipt ? ReceiptTime(text: "", instant: created + .days(1)) : nil,
        expirationTime: ReceiptTime(text: "", instant: created + lifetime), unknownFields: [])
    var point = filled(65, with: number)
    point[0] = 4
    return VerifiedReceipt(
        bytes: ReceiptBytes(filled(size, with: mark)), digest: SHA256Digest(filled(32, with: mark))!,
        payload: payload, publicPoint: PublicPoint(point)!, keyID: key(number),
        attestedCertificateDigest: SHA256Digest(filled(32, with: 3))!, signerSerial: [7])
}

/// A receipt as a back end brings it.
func intake(_ receipt: VerifiedReceipt, device: String? = nil, user: String? = nil) -> VerifiedIntake {
    VerifiedIntake(receipt: receipt, deviceRef: device, userRef: user, attestedTime: nil)
}

/// Every shard there is.
let allShards = Array(0..<Subject.shardCount)

/// The stores on one test database.
struct Stores: Sendable {
    let test: TestDatabase
    let refresh: PostgresRefreshStore
    let intake: PostgresIntakeStore
    let reports: PostgresFleetReports
    /// Who claims here.
    let worker: WorkerID

    init(_ test: TestDatabase) {
        var random = SplitMix(state: 2)
        worker = WorkerID(using: &random)
        let rules = StoreRules(random: SplitMix(state: 1))
        self.test = test
        // The database's clock goes on while tests wait for one another: no lease runs out unless a test wants it to.
        refresh = PostgresRefreshStore(
            database: test.database, rules: rules, terms: LeaseTerms(length: .minutes(30)))
        intake = PostgresIntakeStore(database: test.database, rules: rules)
        reports = PostgresFleetReports(database: test.database)
    }

    /// Lends stores on a migrated database.
    static func lend(_ body: @Sendable (Stores) async throws -> Void) async throws {
        try await TestDatabase.migrated { test in try await body(Stores(test)) }
    }

    /// Takes in ATTEST receipts of keys without a device.
    func takeIn(_ numbers: Range<Int>, at now: Instant = start) async throws {
        let outcomes = try await intake.takeIn(
            numbers.map { VerifiedIntake.attest($0, created: now) }, now: now)
        guard outcomes.allSatisfy({ $0.result == .takenIn }) else { throw Unexpected(what: "\(outcomes)") }
    }

    /// Takes all shards that nobody else holds, and gives the right to decide about a row's.
    func tokens(of worker: WorkerID? = nil) async throws -> @Sendable (DueReceipt) -> LeaseToken? {
        let worker = worker ?? self.worker
        let held = try await refresh.holdShards(worker, givingBack: [], now: start, app: nil).held
        let counters = Dictionary(uniqueKeysWithValues: held.map { ($0.shard, $0.counter) })
        return { row in counters[row.schedule.shard].map { LeaseToken(worker: worker, counter: $0) } }
    }

    /// Every row as it would be claimed, whenever it is due, by key.
    func due() async throws -> [KeyIdentifier: DueReceipt] {
        var rows: [DueReceipt] = []
        for environment in Environment.allCases {
            rows += try await refresh.dueReceipts(
                now: start + .days(10_000), limit: 10_000, app: nil, environment: environment,
                shards: allShards)
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.keyID, $0) })
    }

    /// Stores a verified answer to each key's receipt.
    @discardableResult
    func answer(_ receipts: [VerifiedReceipt], at now: Instant? = nil) async throws -> [StoredOutcome] {
        let due = try await due()
        let token = try await tokens()
        let outcomes = try receipts.map { receipt in
            guard let row = due[receipt.keyID] else { throw Unexpected(what: "no row") }
            return Outcome(due: row, sentTime: nil, reply: nil, ending: .answered(receipt), token: token(row))
        }
        return try await refresh.store(outcomes, now: now ?? receipts.map(\.payload.creationTime.instant).max()!)
    }

    /// Stores an outcome that keeps the receipt, with the schedule row changed as asked; `status` is what the data
    /// server answered, nil where it did not.
    @discardableResult
    func keep(
        _ number: Int, at now: Instant, status: Int? = 503, _ change: (inout ScheduleRow) -> Void
    ) async throws -> StoredOutcome {
        guard let row = try await due()[key(number)] else { throw Unexpected(what: "no row") }
        var schedule = row.schedule
        schedule.lastOutcome = .failed
        schedule.lastOutcomeTime = now
        change(&schedule)
        let token = try await tokens()(row)
        let reply = DataServerReply(
            reply: .serverFailure, status: status, date: nil, traceID: nil, spanID: nil, excerpt: nil)
        return try await refresh.store(
            [Outcome(due: row, sentTime: nil, reply: reply, ending: .kept(schedule), token: token)], now: now)[0]
    }

    /// A 404 to a key's receipt.
    func goQuiet(_ number: Int, at now: Instant) async throws {
        try await keep(number, at: now) { row in
            row.state = .quiet
            row.lastOutcome = .quiet
            row.dueTime = now + .days(14)
        }
    }

    /// The one number that a query gives.
    func number(_ sql: String) async throws -> Int { try await test.number(sql) }

    /// The texts that a query gives.
    func texts(_ sql: String) async throws -> [String] { try await test.texts(sql) }

    /// Runs statements.
    func execute(_ sql: String) async throws { try await test.execute(sql) }
}

extension VerifiedIntake {
    /// The ATTEST receipt of a fresh key.
    static func attest(_ number: Int, created: Instant = start, device: String? = nil) -> VerifiedIntake {
        let fresh = ReceiptStoreTests.receipt(number, created: created, type: .attest)
        return VerifiedIntake(receipt: fresh, deviceRef: device, userRef: nil, attestedTime: nil)
    }
}

/// Something that a test stands on is not so.
struct Unexpected: Error {
    let what: String
}

/// Sebastiano Vigna's SplitMix64: the same draws in every run.
struct SplitMix: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

extension PostgresRefreshStore {
    /// The due rows of all ranks, at most so many of each.
    func dueReceipts(
        now: Instant, limit: Int, app: AppID?, environment: Environment, shards: [Int]
    ) async throws -> [DueReceipt] {
        var rows: [DueReceipt] = []
        for rank in Rank.allCases {
            rows += try await dueReceipts(
                now: now, rank: rank, after: nil, limit: limit, app: app, environment: environment, shards: shards)
        }
        return rows
    }
}
