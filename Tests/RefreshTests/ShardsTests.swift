import AppAttest
import Refresh
import Testing

@Suite("The shards of a run")
struct ShardsTests {
    private let terms = LeaseTerms(length: .seconds(60))

    private func shards(_ holdings: ShardHoldings = .all()) -> Shards {
        var shards = Shards(terms: terms, now: .zero)
        _ = shards.take(holdings, asked: .zero, now: .zero)
        return shards
    }

    private func other(_ shard: Int, counter: Int64 = 1, sign: Int64) -> ShardHoldings.Other {
        ShardHoldings.Other(shard: shard, counter: counter, sign: Instant(seconds: sign))
    }

    @Test("nothing is sent in the last third of a lease, counted from before it was asked for")
    func lastThird() {
        var shards = Shards(terms: terms, now: .zero)
        _ = shards.take(.all(0..<1), asked: .seconds(5), now: .seconds(8))
        #expect(shards.maySend(0, 1, now: .seconds(44)))
        #expect(!shards.maySend(0, 1, now: .seconds(45)))
        #expect(!shards.maySend(0, 2, now: .seconds(8)))
        #expect(!shards.maySend(1, 1, now: .seconds(8)))
    }

    @Test("more than the part is left, the least busy first, and given back once nothing of it is under way")
    func leaving() {
        var shards = shards(.all(0..<4, share: 4))
        for shard in [0, 0, 1, 1, 2] { shards.began(shard) }
        let change = shards.take(.all(0..<4, share: 2), asked: .seconds(1), now: .seconds(1))
        #expect(change == Shards.Change(lost: [2, 3]))
        #expect(shards.claimable == [0, 1] && shards.drained == [3])
        #expect(shards.counter(of: 2) == nil && shards.counter(of: 1) == 1)
        shards.ended(2)
        #expect(shards.drained == [2, 3])
        let after = shards.take(.all(0..<2, share: 2), asked: .seconds(2), now: .seconds(2))
        #expect(after == Shards.Change(lost: [2, 3]) && shards.drained.isEmpty)
    }

    @Test("where the part grows again, what was being left is read from the beginning")
    func staying() {
        var shards = shards(.all(0..<4, share: 4))
        _ = shards.take(.all(0..<4, share: 2), asked: .seconds(1), now: .seconds(1))
        let change = shards.take(.all(0..<4, share: 4), asked: .seconds(2), now: .seconds(2))
        #expect(change == Shards.Change(gained: [2, 3]))
        #expect(shards.claimable == [0, 1, 2, 3])
    }

    @Test("a lease that was had again in between is lost and gained")
    func hadAgain() {
        var shards = shards(.all(0..<2))
        let change = shards.take(.all(0..<2, counter: 2), asked: .seconds(90), now: .seconds(90))
        #expect(change == Shards.Change(gained: [0, 1], lost: [0, 1]))
    }

    @Test("a run that is alone waits for nobody; one beside a worker waits until that shows that it lives")
    func waiting() {
        #expect(!shards().mayGain(idle: .zero))
        var beside = shards(.all(0..<32, others: [other(40, sign: 9), other(41, sign: 9)], share: 32))
        #expect(beside.mayGain(idle: .zero))
        _ = beside.take(
            .all(0..<32, others: [other(40, sign: 9), other(41, sign: 11)], share: 32), asked: .seconds(2),
            now: .seconds(2))
        #expect(beside.mayGain(idle: .zero), "40 may be a dead worker's")
        _ = beside.take(
            .all(0..<32, others: [other(40, counter: 2, sign: 3), other(41, sign: 11)], share: 32),
            asked: .seconds(4), now: .seconds(4))
        #expect(!beside.mayGain(idle: .seconds(4)), "40 has changed hands, 41 was seen to live")
        #expect(beside.mayGain(idle: .seconds(5)), "a run that has just become idle looks once more")
        _ = beside.take(.all(0..<32, share: 32), asked: .seconds(6), now: .seconds(6))
        #expect(!beside.mayGain(idle: .seconds(7)), "nothing is due elsewhere")
    }

    @Test("a run without its part waits for what others hold beyond theirs, as long as rows are due there")
    func waitingForItsPart() {
        var beside = Shards(terms: terms, now: .zero)
        func look(_ second: Int64, held: Range<Int>, others: [ShardHoldings.Other], surplus: Int) {
            let holdings = ShardHoldings(
                held: ShardHoldings.all(held).held, others: others, share: 32, surplus: surplus)
            _ = beside.take(holdings, asked: .seconds(second), now: .seconds(second))
        }
        for second in Int64(1)...3 { look(second, held: 0..<0, others: [other(40, sign: second)], surplus: 32) }
        #expect(beside.mayGain(idle: .zero), "the worker of 40 lives, and has to give shards back")
        look(4, held: 0..<0, others: [], surplus: 32)
        #expect(!beside.mayGain(idle: .zero), "nothing is due there any more")
        look(5, held: 0..<32, others: [other(40, sign: 5)], surplus: 2)
        look(6, held: 0..<32, others: [other(40, sign: 6)], surplus: 2)
        #expect(!beside.mayGain(idle: .zero), "it has its part")
    }

    @Test("a sign of life from before the run was idle does not count")
    func forgotten() {
        var beside = Shards(terms: terms, now: .zero)
        func look(_ second: Int64, sign: Int64) {
            _ = beside.take(
                .all(0..<32, others: [other(40, sign: sign)], share: 32), asked: .seconds(second),
                now: .seconds(second))
        }
        look(1, sign: 1)
        look(2, sign: 2)
        beside.forgetSigns()
        look(3, sign: 2)
        #expect(beside.mayGain(idle: .seconds(3)))
        look(5, sign: 5)
        #expect(!beside.mayGain(idle: .seconds(3)))
    }

    @Test("looks come often enough to renew, and at least every two seconds")
    func looks() {
        #expect(terms.lookInterval == .seconds(2))
        #expect(LeaseTerms(length: .seconds(2)).lookInterval == .milliseconds(500))
        var shards = shards()
        #expect(shards.nextLook == .seconds(2))
        shards.lookSoon(now: .seconds(1))
        #expect(shards.nextLook == .seconds(1))
    }

    @Test("worker identifiers are UUIDs of version 4, new for every run")
    func identifiers() throws {
        var random = SystemRandomNumberGenerator()
        let drawn = (0..<100).map { _ in WorkerID(using: &random) }
        #expect(Set(drawn).count == 100)
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(drawn.allSatisfy { $0.text.wholeMatch(of: form) != nil })
    }
}
