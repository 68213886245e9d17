import AppAttest
import Postgres
import ReceiptStore
import Refresh
import TestSupport
import Testing

@Suite("Stored alerts")
struct AlertStoreTests {
    private static let lost = AlertName(.receiptsLost, "fleet")
    private static let skewed = AlertName(.clockSkewed, "database")

    private func alert(_ name: AlertName, _ message: String = "m") -> OperatorAlert {
        OperatorAlert(name: name, message: message, hint: "h")
    }

    private func found(_ names: AlertName..., message: String = "m") -> AlertChanges {
        AlertChanges(found: names.map { alert($0, message) }, ended: [])
    }

    @Test("one row a fault while it lasts: a run opens it, the next only sees it, the one that finds it gone closes it")
    func life() async throws {
        try await Stores.lend { stores in
            let alerts = PostgresAlertStore(database: stores.test.database)
            #expect(try await alerts.open() == [])
            let first = found(Self.lost, Self.skewed)
            try await alerts.settle(now: start) { facts in
                #expect(facts == AlertFacts())
                return first
            }
            let second = found(Self.lost, message: "n")
            try await alerts.settle(now: start + .hours(1)) { facts in
                #expect(facts.open.map(\.name) == [Self.skewed, Self.lost])
                return second
            }
            // A run that began earlier and ended later does not move it back.
            try await alerts.settle(now: start + .minutes(30)) { _ in second }
            let open = try await alerts.open()
            #expect(open.map(\.name) == [Self.skewed, Self.lost])
            #expect(open.map(\.message) == ["m", "n"] && open.map(\.hint) == ["h", "h"])
            #expect(open.map(\.openedTime) == [start, start])
            #expect(open.map(\.seenTime) == [start, start + .hours(1)])

            try await alerts.settle(now: start + .hours(2)) { _ in AlertChanges(found: [], ended: [Self.lost]) }
            #expect(try await alerts.open().map(\.name) == [Self.skewed])
            #expect(
                try await stores.number(
                    """
                    SELECT count(*) FROM attestwatch.alert
                    WHERE kind = 'receipts.lost' AND closed_time - opened_time = interval '2 hours'
                    """) == 1)
            // What is closed stays so, and the fault opens another row when it comes back.
            try await alerts.settle(now: start + .hours(3)) { _ in AlertChanges(found: [], ended: [Self.lost]) }
            try await alerts.settle(now: start + .hours(4)) { _ in first }
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.alert") == 3)
        }
    }

    @Test("runs that end at the same time make one row a fault")
    func together() async throws {
        try await Stores.lend { stores in
            let changes = [found(Self.lost, Self.skewed), found(Self.skewed, Self.lost)]
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    let alerts = PostgresAlertStore(database: try Database(stores.test.conninfo))
                    group.addTask {
                        for round in 0..<10 {
                            try await alerts.settle(now: start + .seconds(Int64(round))) { _ in changes[number % 2] }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.alert") == 2)
            let open = try await PostgresAlertStore(database: stores.test.database).open()
            #expect(open.allSatisfy { $0.seenTime == start + .seconds(9) })
        }
    }

    @Test("a loss is known for a day to every run that ends, whichever run it was that lost it")
    func losses() async throws {
        try await Stores.lend { stores in
            let alerts = PostgresAlertStore(database: stores.test.database)
            try await stores.takeIn(1..<2)
            try await stores.keep(1, at: start + .days(90)) { _ in }
            let now = start + .days(97)
            #expect(try await stores.refresh.endExpired(now: now, app: nil).lost == 1)
            for (later, lost) in [(Duration.zero, 1), (.hours(24) - .seconds(1), 1), (.hours(24), 0)] {
                try await alerts.settle(now: now + later) { facts in
                    #expect(facts.lost == lost)
                    return AlertChanges(found: [], ended: [])
                }
            }
        }
    }

    @Test("alerts are written together or not at all")
    func atomic() async throws {
        try await Stores.lend { stores in
            let alerts = PostgresAlertStore(database: stores.test.database)
            let broken = AlertChanges(found: [alert(Self.lost), alert(Self.skewed, "no\u{0}text")], ended: [])
            do throws(StoreFailure) {
                try await alerts.settle(now: start) { _ in broken }
                Issue.record("a text that PostgreSQL cannot hold was stored")
            } catch {
                let open: [OpenAlert] = try await alerts.open()
                #expect(open.isEmpty)
            }
        }
    }

    @Test("the store tells how many receipts wait for a person, by reason, and how many have been due for over a day")
    func facts() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<6)
            let reasons: [(Int, QuarantineReason)] = [(1, .foreignTeam), (2, .foreignTeam), (3, .notVerified)]
            for (number, reason) in reasons {
                try await stores.keep(number, at: start) { row in
                    row.state = .quarantined
                    row.quarantineReason = reason
                }
            }
            try await stores.execute(
                """
                UPDATE attestwatch.schedule SET state = 'dropped' WHERE key_id = '\\x\(hexadecimal(key(2)))'
                """)
            let due = try #require(try await stores.due()[key(4)]).schedule.dueTime
            let oldest = min(due, try #require(try await stores.due()[key(5)]).schedule.dueTime)
            let alerts = PostgresAlertStore(database: stores.test.database)
            let none = AlertChanges(found: [], ended: [])
            try await alerts.settle(now: oldest + .hours(24) - .seconds(1)) { facts in
                #expect(facts.quarantined == [.foreignTeam: 1, .notVerified: 1])
                #expect(facts.late == 0 && facts.oldestDue == nil)
                return none
            }
            try await alerts.settle(now: start + .days(3)) { facts in
                #expect(facts.late == 2 && facts.oldestDue == oldest)
                return none
            }
        }
    }

    private func hexadecimal(_ key: KeyIdentifier) -> String {
        key.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
