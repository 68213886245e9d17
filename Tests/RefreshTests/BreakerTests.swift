import AppAttest
import Refresh
import Testing

@Suite("A data server that is failing")
struct BreakerTests {
    @Test("it opens when half of the last 50 have failed, and not before", arguments: [(24, 100), (25, 50)])
    func opens(failures: Int, answers: Int) {
        var breaker = Breaker(now: .zero)
        for number in 0..<answers {
            let isFailure = number % (answers / failures) == 0
            breaker.ended(isFailure: isFailure, sent: .seconds(number), now: .seconds(number))
        }
        #expect(breaker.isOpen == (failures * 2 >= answers))
    }

    @Test("25 failures and nothing else open it: that is enough")
    func allFail() {
        var breaker = Breaker(now: .zero)
        for number in 1...25 {
            #expect(!breaker.isOpen)
            breaker.ended(isFailure: true, sent: .zero, now: .seconds(number))
        }
        #expect(breaker.admission(now: .seconds(25)) == .wait(until: .seconds(26)))
    }

    @Test("what was in flight when it opened says nothing more, be it hundreds, good or bad")
    func epoch() {
        var breaker = opened(at: .seconds(10))
        for _ in 0..<300 { breaker.ended(isFailure: true, sent: .seconds(9), now: .seconds(11)) }
        #expect(breaker.admission(now: .seconds(11)) == .send)
        breaker.sent(now: .seconds(11))
        #expect(breaker.admission(now: .seconds(12)) == .probing)
        for _ in 0..<300 { breaker.ended(isFailure: false, sent: .seconds(9), now: .seconds(12)) }
        #expect(breaker.admission(now: .seconds(12)) == .probing)
        breaker.ended(isFailure: false, sent: .seconds(11), now: .seconds(13))
        #expect(breaker.admission(now: .seconds(13)) == .send && !breaker.isOpen)
    }

    @Test("one probe at a time, in doubling intervals; after six in vain it stops for the run")
    func probes() {
        var breaker = opened(at: .zero)
        var now = Duration.zero
        var waits: [Duration] = []
        while case .wait(let until) = breaker.admission(now: now) {
            waits.append(until - now)
            now = until
            #expect(breaker.admission(now: now) == .send)
            breaker.sent(now: now)
            breaker.ended(isFailure: true, sent: now, now: now)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32].map { .seconds($0) })
        #expect(breaker.admission(now: now) == .stopped && breaker.isStopped)
    }

    @Test("closed again, it begins anew")
    func closedAgain() {
        var breaker = opened(at: .zero)
        breaker.sent(now: .seconds(1))
        breaker.ended(isFailure: false, sent: .seconds(1), now: .seconds(2))
        for _ in 0..<24 { breaker.ended(isFailure: true, sent: .seconds(3), now: .seconds(4)) }
        #expect(!breaker.isOpen)
        breaker.ended(isFailure: true, sent: .seconds(3), now: .seconds(4))
        #expect(breaker.admission(now: .seconds(4)) == .wait(until: .seconds(5)))
    }

    private func opened(at time: Duration) -> Breaker {
        var breaker = Breaker(now: .zero)
        for _ in 0..<Breaker.enough { breaker.ended(isFailure: true, sent: .zero, now: time) }
        return breaker
    }
}
