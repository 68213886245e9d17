import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("When a stored receipt is due")
struct SchedulePlannerTests {
    /// 2026-11-02T12:00:00Z.
    private static let noon = Instant(seconds: 1_793_620_800)
    private static let planner = SchedulePlanner(cadence: .standard)

    /// A row of the table: a receipt, where it stands, and when it must be due. Times count from its creation time.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var type = ReceiptType.receipt
        var notBefore: Duration? = .days(1)
        var expiration = Duration.days(90)
        var attested: Duration?
        var state = ReceiptState.active
        var flagged = false
        var newest = true
        var hasMetric = true
        var now = Duration.zero
        let due: ClosedRange<Duration>
        let rank: Rank
    }

    private static let hour = Duration.hours(1)
    private static let margin = SchedulePlanner.margin
    private static let clearSpread = Duration.days(7) * 4 / 5...Duration.days(7)

    private static let rows: [Row] = [
        Row(
            testDescription: "ATTEST: within the first-reading time", type: .attest, notBefore: nil,
            now: .minutes(10), due: .minutes(10)...(.minutes(70)), rank: .firstReading),
        Row(
            testDescription: "ATTEST just made: after the margin", type: .attest, notBefore: nil,
            due: margin...(margin + hour), rank: .firstReading),
        Row(
            testDescription: "ATTEST taken in after 31 days: back-fill", type: .attest, notBefore: nil, now: .days(31),
            due: .days(31)...(.days(31) + hour), rank: .background),
        Row(
            testDescription: "ATTEST: the back end's attested time counts", type: .attest, notBefore: nil,
            attested: .days(-31), now: .minutes(10), due: .minutes(10)...(.minutes(70)), rank: .background),
        Row(
            testDescription: "ATTEST of an older key of the device", type: .attest, notBefore: nil, newest: false,
            now: .hours(1), due: .hours(1) + .days(14) * 4 / 5...(.hours(1) + .days(14)), rank: .background),
        Row(testDescription: "clear: the last fifth before the cadence date", due: clearSpread, rank: .routine),
        Row(
            testDescription: "clear, taken in late: spread from now on", now: .days(20),
            due: .days(20)...(.days(20) + hour), rank: .routine),
        Row(
            testDescription: "flagged: the first hour of the window", flagged: true,
            due: .days(1) + margin...(.days(1) + margin + hour), rank: .flagged),
        Row(
            testDescription: "no metric: when the window opens", hasMetric: false,
            due: .days(1) + margin...(.days(1) + margin + hour), rank: .routine),
        Row(
            testDescription: "no metric, attested within 30 days: a first reading still", attested: .days(-29),
            hasMetric: false, due: .days(1) + margin...(.days(1) + margin + hour), rank: .firstReading),
        Row(
            testDescription: "no metric, attested longer ago: routine", attested: .days(-31), hasMetric: false,
            due: .days(1) + margin...(.days(1) + margin + hour), rank: .routine),
        Row(
            testDescription: "no metric, taken in late: at once", hasMetric: false, now: .days(20),
            due: .days(20)...(.days(20) + hour), rank: .routine),
        Row(
            testDescription: "no metric, flagged: when the window opens, among the flagged", attested: .days(-1),
            flagged: true, hasMetric: false, due: .days(1) + margin...(.days(1) + margin + hour), rank: .flagged),
        Row(
            testDescription: "no metric, older key: background", newest: false, hasMetric: false,
            due: .days(14) * 4 / 5...(.days(14)), rank: .background),
        Row(
            testDescription: "a metric and attested lately: clear", attested: .days(-1), due: clearSpread,
            rank: .routine),
        Row(
            testDescription: "older key of a flagged device: background", flagged: true, newest: false,
            due: .days(14) * 4 / 5...(.days(14)), rank: .background),
        Row(
            testDescription: "quiet: after 14 days", state: .quiet, now: .days(30), due: .days(44)...(.days(44)),
            rank: .routine),
        Row(
            testDescription: "quiet older key: after 14 days, in the background", state: .quiet, newest: false,
            now: .days(30), due: .days(44)...(.days(44)), rank: .background),
        Row(
            testDescription: "quiet near the end: once more before the last tenth", state: .quiet, now: .days(70),
            due: .days(90) - .days(89) / 10 - hour...(.days(90) - .days(89) / 10), rank: .routine),
        Row(
            testDescription: "quiet at the end: when it expires", state: .quiet, now: .days(80),
            due: .days(90)...(.days(90)), rank: .routine),
        Row(
            testDescription: "window opens after the cadence date: when it opens", notBefore: .days(30),
            expiration: .days(61), due: .days(30) + margin...(.days(30) + margin + hour), rank: .routine),
        Row(
            testDescription: "flagged, late window: when it opens", notBefore: .days(30), expiration: .days(61),
            flagged: true, due: .days(30) + margin...(.days(30) + margin + hour), rank: .flagged),
        Row(
            testDescription: "short window: pulled before its last tenth", notBefore: .days(1), expiration: .days(6),
            due: .days(5) + .hours(12) - hour...(.days(5) + .hours(12)), rank: .expiring),
        Row(
            testDescription: "in the last tenth: now", now: .days(82), due: .days(82)...(.days(82)), rank: .expiring),
        Row(
            testDescription: "expired: now", now: .days(91), due: .days(91)...(.days(91)), rank: .expiring),
        Row(
            testDescription: "a new receipt revives what had ended", state: .lost, due: clearSpread, rank: .routine),
    ]

    @Test("The table of cadences", arguments: rows)
    func table(row: Row) {
        let created = Self.noon
        let dates = ReceiptDates(
            type: row.type, creationTime: created, notBefore: row.notBefore.map { created + $0 },
            expirationTime: created + row.expiration, attestedTime: row.attested.map { created + $0 },
            hasMetric: row.hasMetric)
        let standing = Standing(state: row.state, flagged: row.flagged, newestKey: row.newest)
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let plan = Self.planner.plan(dates, standing: standing, now: created + row.now, using: &random)
            #expect(row.due.contains(plan.dueTime - created), "due \(plan.dueTime - created) after creation")
            #expect(plan.rank == row.rank)
        }
    }

    @Test("Over random windows, no due time is before the window's opening and none is planned into its last tenth")
    func randomWindows() {
        var random = SeededGenerator(seed: 2026)
        for round in 0..<50_000 {
            let created = Self.noon + .seconds(Int64.random(in: -8_000_000...8_000_000, using: &random))
            let notBefore = created + .seconds(Int64.random(in: 0...4_000_000, using: &random))
            let window = RefreshWindow(
                creationTime: created, notBefore: notBefore,
                expirationTime: notBefore + .seconds(Int64.random(in: 1...9_000_000, using: &random)))
            let dates = ReceiptDates(
                type: .receipt, creationTime: created, notBefore: window.opens, expirationTime: window.closes,
                attestedTime: nil, hasMetric: Bool.random(using: &random))
            let standing = Standing(
                state: round.isMultiple(of: 5) ? .quiet : .active, flagged: Bool.random(using: &random),
                newestKey: Bool.random(using: &random))
            let now = created + .seconds(Int64.random(in: 0...12_000_000, using: &random))
            let due = Self.planner.plan(dates, standing: standing, now: now, using: &random).dueTime

            #expect(due >= now && due > window.opens, "round \(round)")
            if now < window.lastTenth {
                #expect(due <= window.lastTenth || due == window.closes && standing.state == .quiet, "round \(round)")
            } else if standing.state == .active {
                #expect(due == now, "round \(round)")
            }
        }
    }

    @Test(
        "Ten thousand receipts with one not-before spread: the busiest slot is under twice the mean",
        arguments: [(ReceiptType.attest, false, 60), (.receipt, true, 60), (.receipt, false, 56)])
    func spread(type: ReceiptType, flagged: Bool, slots: Int) throws {
        let dates = ReceiptDates(
            type: type, creationTime: Self.noon, notBefore: type == .attest ? nil : Self.noon + .days(1),
            expirationTime: Self.noon + .days(90), attestedTime: nil, hasMetric: true)
        let standing = Standing(state: .active, flagged: flagged, newestKey: true)
        var random = SeededGenerator(seed: 3)
        let dues = (0..<10_000).map { _ in
            Self.planner.plan(dates, standing: standing, now: Self.noon, using: &random).dueTime.microseconds
        }
        let first = try #require(dues.min())
        let last = try #require(dues.max())
        let slot = (last - first) / Int64(slots) + 1
        #expect(slot >= 59_000_000, "a slot is a minute at least")
        let counts = Dictionary(dues.map { (($0 - first) / slot, 1) }, uniquingKeysWith: +)
        #expect(try #require(counts.values.max()) < 2 * 10_000 / slots)
    }

    @Test("Receipts pulled before the last tenth do not meet in one minute either")
    func pulledReceiptsSpread() throws {
        let dates = ReceiptDates(
            type: .receipt, creationTime: Self.noon, notBefore: Self.noon + .days(1),
            expirationTime: Self.noon + .days(5), attestedTime: nil, hasMetric: true)
        var random = SeededGenerator(seed: 4)
        let minutes = (0..<10_000).map { _ in
            Self.planner.plan(
                dates, standing: Standing(state: .active, flagged: false, newestKey: true), now: Self.noon,
                using: &random
            ).dueTime.seconds / 60
        }
        let counts = Dictionary(minutes.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(try #require(counts.values.max()) < 2 * 10_000 / 60)
    }

    @Test(
        "so many flagged subjects that their calls would be above the day's are read more seldom, down to the clear",
        arguments: [(0, 1.0), (10_000, 1), (25_000, 2.5), (70_000, 7), (1_000_000, 7)])
    func stretched(count: Int, days: Double) {
        let cadence = Cadence.standard.stretched(forFlagged: count)
        #expect(abs(cadence.flagged / .days(1) - days) < 1e-9)
        #expect(cadence.clear == Cadence.standard.clear && Cadence.standard.mostFlagged == 70_000)
    }
}
