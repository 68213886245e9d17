import AppAttest
import Postgres
import ReceiptStore
import Refresh
import Testing

@Suite("Leases on shards")
struct LeaseTests {
    /// Workers of their own, each with a connection of its own, on the database of `stores`.
    private struct Workers {
        let ids: [WorkerID]
        let stores: [PostgresRefreshStore]

        init(_ count: Int, _ stores: Stores, length: Duration = .seconds(60)) throws {
            var random = SplitMix(state: 7)
            ids = (0..<count).map { _ in WorkerID(using: &random) }
            self.stores = try (0..<count).map { _ in
                PostgresRefreshStore(
                    database: try Database(stores.test.conninfo), rules: StoreRules(random: SplitMix(state: 2)),
                    terms: LeaseTerms(length: length))
            }
        }

        func hold(_ number: Int, givingBack: Set<Int> = [], now: Instant = start) async throws -> ShardHoldings {
            try await stores[number].holdShards(ids[number], givingBack: givingBack, now: now, app: nil)
        }
    }

    /// Ends every lease of a worker, as if its time had passed; `counted`: it is still counted among the living.
    private func runOut(_ worker: WorkerID, counted: Bool = false, _ stores: Stores) async throws {
        for table in ["shard_lease"] + (counted ? [] : ["worker"]) {
            try await stores.execute(
                """
                UPDATE attestwatch.\(table) SET until_time = clock_timestamp() - interval '1 second'
                WHERE owner = '\(worker.text)'
                """)
        }
    }

    @Test("shards whose lease ran out while their worker is still counted are told of, until they can be taken")
    func countedStill() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<200)
            let workers = try Workers(2, stores)
            let now = start + .days(1)
            _ = try await workers.hold(0, now: now)
            try await runOut(workers.ids[0], counted: true, stores)
            let half = try await workers.hold(1, now: now)
            #expect(half.share == 32 && half.held.count == 32 && !half.others.isEmpty)
            #expect(Set(half.others.map(\.shard)).isDisjoint(with: half.held.map(\.shard)))
            let again = try await workers.hold(1, now: now)
            #expect(again.others == half.others, "nothing that would look like life")
            try await runOut(workers.ids[0], stores)
            #expect(try await workers.hold(1, now: now).held.count == 64)
        }
    }

    @Test("one worker has all shards; each that comes gets its part once the others have given theirs back")
    func parts() async throws {
        try await Stores.lend { stores in
            let workers = try Workers(3, stores)
            let first = try await workers.hold(0)
            #expect(first.held.map(\.shard) == allShards && first.share == 64)
            let second = try await workers.hold(1)
            #expect(second.held.isEmpty && second.share == 32)
            #expect(first.surplus == 0 && second.surplus == 32, "what the first is to give back")
            let told = try await workers.hold(0)
            #expect(told.share == 32 && told.held.count == 64)
            #expect(try await workers.hold(0, givingBack: Set(32..<64)).held.map(\.shard) == Array(0..<32))
            #expect(try await workers.hold(1).held.map(\.shard) == Array(32..<64))
            #expect(try await workers.hold(2).share == 22)
        }
    }

    @Test("workers that come at the same time share without one shard in two hands, and come to hold all of them")
    func together() async throws {
        try await Stores.lend { stores in
            let workers = try Workers(6, stores)
            var surplus: [Int: Set<Int>] = [:]
            var holdings: [Int: ShardHoldings] = [:]
            for _ in 0..<8 {
                holdings = try await withThrowingTaskGroup(of: (Int, ShardHoldings).self) { group in
                    for number in workers.ids.indices {
                        group.addTask { [surplus] in
                            (number, try await workers.hold(number, givingBack: surplus[number] ?? []))
                        }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                let held = holdings.values.flatMap { $0.held.map(\.shard) }
                #expect(Set(held).count == held.count)
                surplus = holdings.mapValues { Set($0.held.map(\.shard).dropFirst($0.share)) }
            }
            #expect(holdings.values.allSatisfy { $0.share == 11 && $0.held.count <= 11 && $0.surplus == 0 })
            #expect(holdings.values.flatMap { $0.held.map(\.shard) }.sorted() == allShards)
        }
    }

    @Test("a renewal keeps the counter, a lease that ran out is lost even where nobody took it")
    func runningOut() async throws {
        try await Stores.lend { stores in
            let workers = try Workers(1, stores)
            let first = try await workers.hold(0)
            #expect(first.held.allSatisfy { $0.counter == 1 && $0.remaining == .seconds(60) })
            let second = try await workers.hold(0)
            #expect(second.held.allSatisfy { $0.counter == 1 && $0.remaining <= .seconds(60) })
            try await runOut(workers.ids[0], stores)
            #expect(try await workers.hold(0).held.allSatisfy { $0.counter == 2 })
        }
    }

    @Test("the shards of a worker that died go to who is left when its leases have run out")
    func died() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<200)
            let workers = try Workers(2, stores)
            _ = try await workers.hold(0, now: start)
            let waiting = try await workers.hold(1, now: start + .days(1))
            #expect(waiting.held.isEmpty && !waiting.others.isEmpty)
            #expect(try await workers.hold(1, now: start - .days(1)).others.isEmpty)
            try await runOut(workers.ids[0], stores)
            let taken = try await workers.hold(1)
            #expect(taken.held.map(\.shard) == allShards && taken.share == 64 && taken.others.isEmpty)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.worker") == 1)
        }
    }

    @Test("who ends in good order leaves nothing to wait for")
    func released() async throws {
        try await Stores.lend { stores in
            let workers = try Workers(2, stores)
            _ = try await workers.hold(0)
            try await workers.stores[0].releaseShards(workers.ids[0])
            #expect(try await workers.hold(1).held.count == 64)
            try await workers.stores[0].releaseShards(workers.ids[0])
            #expect(try await stores.number("SELECT count(owner) FROM attestwatch.shard_lease") == 64)
        }
    }

    /// How a lease can be lost between claim and store.
    enum Loss: CaseIterable { case ranOut, taken, hadAgain, otherOwner }

    @Test(
        "without its lease a worker puts off, quiets and charges nothing, and what it received goes in",
        arguments: Loss.allCases)
    func fenced(_ loss: Loss) async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<4)
            let workers = try Workers(2, stores)
            let now = start + .days(1)
            let ownToken = try await token(of: workers)
            let due = try await stores.due()
            switch loss {
            case .ranOut: try await runOut(workers.ids[0], stores)
            case .taken:
                try await runOut(workers.ids[0], stores)
                _ = try await workers.hold(1)
            case .hadAgain:
                try await runOut(workers.ids[0], stores)
                _ = try await workers.hold(0)
            case .otherOwner: break
            }
            let worker = workers.ids[loss == .otherOwner ? 1 : 0]
            let before = try await rows(stores)
            let outcomes = try [1, 2, 3].map { number in
                let row = try #require(due[key(number)])
                var kept = row.schedule
                kept.state = number == 1 ? .quiet : .quarantined
                kept.quarantineReason = number == 1 ? nil : .badRequest
                kept.attempts += 1
                kept.lastOutcome = number == 1 ? .quiet : .quarantined
                kept.lastOutcomeTime = now
                return Outcome(
                    due: row, sentTime: now, reply: nil,
                    ending: number == 3 ? .answered(receipt(3, created: now, metric: 7)) : .kept(kept),
                    token: LeaseToken(worker: worker, counter: ownToken(row).counter))
            }
            let stored = try await workers.stores[0].store(outcomes, now: now)
            #expect(stored.map(\.isFenced) == [true, true, true])
            #expect(stored.map(\.word) == [.superseded, .superseded, .replaced])
            #expect(stored[2].flagChange == .opened(.review))
            let after = try await rows(stores)
            #expect(after.prefix(2) == before.prefix(2))
            #expect(try await stores.due()[key(3)]?.creationTime == now)
            #expect(try #require(try await stores.due()[key(3)]?.schedule.dueTime) > now + .days(1))
        }
    }

    @Test("a lease that runs is renewed by what is stored under it")
    func renewed() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let workers = try Workers(1, stores)
            let token = try await token(of: workers)
            try await stores.execute(
                "UPDATE attestwatch.shard_lease SET until_time = clock_timestamp() + interval '9 seconds'")
            let row = try #require(try await stores.due()[key(1)])
            var kept = row.schedule
            kept.dueTime = start + .days(3)
            kept.lastOutcome = .held
            kept.lastOutcomeTime = start
            let outcome = Outcome(due: row, sentTime: nil, reply: nil, ending: .kept(kept), token: token(row))
            #expect(try await workers.stores[0].store([outcome], now: start)[0].isFenced == false)
            let renewed = try await stores.number(
                """
                SELECT shard::bigint FROM attestwatch.shard_lease
                WHERE until_time > clock_timestamp() + interval '30 seconds'
                """)
            #expect(renewed == row.schedule.shard)
            #expect(try await stores.due()[key(1)]?.schedule.dueTime == start + .days(3))
        }
    }

    @Test("a superseded answer leaves the schedule to whoever has written it since")
    func superseded() async throws {
        try await Stores.lend { stores in
            try await stores.takeIn(1..<2)
            let row = try #require(try await stores.due()[key(1)])
            let token = try await stores.tokens()(row)
            try await stores.answer([receipt(1, created: start + .days(2))])
            let planned = try await rows(stores)
            let late = Outcome(
                due: row, sentTime: nil, reply: nil,
                ending: .answered(receipt(1, created: start + .days(1), metric: 2)), token: token)
            #expect(try await stores.refresh.store([late], now: start + .days(2)).map(\.word) == [.superseded])
            #expect(try await rows(stores) == planned)
            #expect(try await stores.number("SELECT count(*) FROM attestwatch.metric_reading") == 1)
        }
    }

    private func token(of workers: Workers) async throws -> (DueReceipt) -> LeaseToken {
        let held = try await workers.hold(0).held
        let counters = Dictionary(uniqueKeysWithValues: held.map { ($0.shard, $0.counter) })
        return { LeaseToken(worker: workers.ids[0], counter: counters[$0.schedule.shard] ?? 0) }
    }

    private func rows(_ stores: Stores) async throws -> [String] {
        try await stores.texts("SELECT s::text FROM attestwatch.schedule s ORDER BY key_id")
    }
}
