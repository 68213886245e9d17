import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("When the keys of a back-fill are due")
struct BackFillTests {
    private static let noon = Samples.noon
    private static let planner = SchedulePlanner(cadence: .standard)
    private static let margin = SchedulePlanner.margin

    /// A receipt taken in with a back-fill. Times count from its creation time.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var type = ReceiptType.attest
        var notBefore: Duration?
        var expiration = Duration.days(90)
        var flagged = false
        var newest = true
        var hasMetric = false
        var now = Duration.hours(1)
        var spread = Duration.days(7)
        let due: ClosedRange<Duration>
        let rank: Rank
    }

    private static let rows: [Row] = [
        Row(testDescription: "a fresh key", due: .hours(1)...(.days(7) + .hours(1)), rank: .background),
        Row(
            testDescription: "an old key", now: .days(50), spread: .hours(12),
            due: .days(50)...(.days(50) + .hours(12)), rank: .background),
        Row(
            testDescription: "a receipt without a metric: when its window opens, or within the time that begins then",
            type: .receipt, notBefore: .days(1), due: .days(1) + margin...(.days(8) + margin), rank: .background),
        Row(
            testDescription: "a receipt that its cadence has later: then", type: .receipt, notBefore: .days(1),
            hasMetric: true, spread: .days(2), due: .days(7) * 4 / 5...(.days(7)), rank: .routine),
        Row(
            testDescription: "a receipt that its cadence has late in that time: no earlier", type: .receipt,
            notBefore: .days(1), hasMetric: true, spread: .days(20), due: .days(7) * 4 / 5...(.days(21) + margin),
            rank: .background),
        Row(
            testDescription: "an older key of a device: as always", newest: false,
            due: .hours(1) + .days(14) * 4 / 5...(.hours(1) + .days(14)), rank: .background),
        Row(
            testDescription: "a flagged device: as always", type: .receipt, notBefore: .days(1), flagged: true,
            hasMetric: true, due: .days(1) + margin...(.days(1) + margin + .hours(1)), rank: .flagged),
        Row(
            testDescription: "a window that ends sooner: before its last tenth", now: .days(78), spread: .days(60),
            due: .days(78)...(.days(81)), rank: .background),
        Row(
            testDescription: "a short window: before its last tenth, among what expires", expiration: .days(2),
            due: .hours(1)...(.days(2) * 9 / 10), rank: .expiring),
        Row(
            testDescription: "in the last tenth: now", now: .days(85), due: .days(85)...(.days(85)), rank: .expiring),
    ]

    @Test("what a back-fill's time does to each kind of receipt", arguments: rows)
    func table(row: Row) {
        let dates = ReceiptDates(
            type: row.type, creationTime: Self.noon, notBefore: row.notBefore.map { Self.noon + $0 },
            expirationTime: Self.noon + row.expiration, attestedTime: nil, hasMetric: row.hasMetric)
        let standing = Standing(state: .active, flagged: row.flagged, newestKey: row.newest)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            let plan = Self.planner.planSpread(
                dates, standing: standing, over: row.spread, now: Self.noon + row.now, using: &random)
            #expect(row.due.contains(plan.dueTime - Self.noon), "due \(plan.dueTime - Self.noon) after creation")
            #expect(plan.rank == row.rank)
        }
    }

    @Test("ten thousand keys come evenly: each hour of a week has its part, give or take what chance does")
    func even() throws {
        let dates = ReceiptDates(
            type: .attest, creationTime: Self.noon, notBefore: nil, expirationTime: Self.noon + .days(90),
            attestedTime: nil, hasMetric: false)
        var random = SeededGenerator(seed: 6)
        let hours = (0..<10_000).map { _ in
            let plan = Self.planner.planSpread(
                dates, standing: Standing(state: .active, flagged: false, newestKey: true), over: .days(7),
                now: Self.noon + .hours(1), using: &random)
            return (plan.dueTime - Self.noon - .hours(1)).components.seconds / 3_600
        }
        let counts = Dictionary(hours.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts.count == 168 && counts.values.allSatisfy { (25...100).contains($0) })
    }
}
