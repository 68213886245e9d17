import AppAttest
import Refresh
import TestSupport
import Testing

@Suite("When a request may leave")
struct PacerTests {
    /// Workers that share the budget of one data server, each with a queue that is never empty.
    private struct Workers {
        let pace: Pace
        var budget: SharedBudget
        var pacers: [Pacer]
        var now: Duration
        /// When a request left, and which worker's it was.
        var grants: [(time: Duration, worker: Int)] = []

        init(_ pace: Pace, workers: Int = 1, now: Duration = .zero) {
            self.pace = pace
            self.now = now
            budget = SharedBudget(pace: pace, now: Samples.noon + now)
            pacers = (0..<workers).map { _ in Pacer(pace: pace, now: now) }
            for worker in pacers.indices { pacers[worker].share(among: workers) }
        }

        /// Lets a worker take what it may now, and says when it wants to be asked again.
        mutating func step(_ worker: Int, finishing: Bool) -> Duration? {
            while true {
                switch pacers[worker].take(now: now) {
                case .granted:
                    grants.append((now, worker))
                    if finishing { pacers[worker].finished() }
                case .wait(let until):
                    ask(worker)
                    return until
                case .full: return nil
                case .empty:
                    guard ask(worker) else { return nil }
                }
            }
        }

        /// Asks the budget as a run does; gives whether there was something to ask.
        @discardableResult
        mutating func ask(_ worker: Int) -> Bool {
            guard let request = pacers[worker].ask(for: 1_000_000, now: now) else { return false }
            pacers[worker].take(budget.grant(request, now: Samples.noon + now), for: request, now: now)
            return true
        }

        /// Goes on to `end`, whoever is due first; `lateness` draws how late a worker is woken.
        mutating func run(
            to end: Duration, finishing: Bool = true, lateness: (() -> Duration) = { .zero }
        ) {
            var wake = [Duration?](repeating: now, count: pacers.count)
            while let next = wake.compactMap(\.self).min(), next < end {
                now = max(now, next)
                for worker in pacers.indices where wake[worker].map({ $0 <= now }) ?? false {
                    wake[worker] = step(worker, finishing: finishing).map { $0 + lateness() }
                }
            }
            now = end
        }

        /// The most grants in any second that begins with one.
        var busiestSecond: Int {
            var (most, first) = (0, 0)
            let times = grants.map(\.time)
            for (index, time) in times.enumerated() {
                while time - times[first] >= .seconds(1) { first += 1 }
                most = max(most, index - first + 1)
            }
            return most
        }

        func count(from start: Duration, to end: Duration) -> Int { grants.count { start <= $0.time && $0.time < end } }
    }

    /// What may leave in a second: the rate, and a fifth of it where a worker is late.
    private func bound(_ rate: Double) -> Int { Int((rate + max(1, rate / 5)).rounded(.up)) }

    @Test(
        "in any second the rate and the burst at most, and over a minute the rate, however many workers share it",
        arguments: [1.0, 3, 50, 3_500], [1, 4, 7])
    func rate(requestsPerSecond: Double, count: Int) {
        var workers = Workers(Pace(requestsPerSecond: requestsPerSecond, inFlight: 100), workers: count)
        workers.run(to: .seconds(60))
        #expect(workers.busiestSecond <= bound(requestsPerSecond))
        let expected = Int(requestsPerSecond * 60)
        #expect(abs(workers.grants.count - expected) <= max(count, expected / 100), "\(workers.grants.count)")
        if requestsPerSecond >= 50 {
            #expect((0..<count).allSatisfy { worker in workers.grants.contains { $0.worker == worker } })
        }
    }

    @Test(
        "workers that are woken late, each in its own way, and hold hundreds in flight never send more than that",
        arguments: [50.0, 400])
    func late(requestsPerSecond: Double) {
        var random = SeededGenerator(seed: 12)
        var workers = Workers(Pace(requestsPerSecond: requestsPerSecond, inFlight: 2_000), workers: 5)
        workers.run(to: .seconds(120)) { .milliseconds(Int64.random(in: 0...700, using: &random)) }
        #expect(workers.busiestSecond <= bound(requestsPerSecond), "\(workers.busiestSecond)")
        #expect(workers.grants.count > Int(requestsPerSecond * 40))
    }

    @Test("an idle hour saves nothing up")
    func idleHour() {
        var workers = Workers(Pace(requestsPerSecond: 50, inFlight: 1_000))
        workers.run(to: .seconds(1))
        let before = workers.grants.count
        workers.now = .hours(1)
        workers.run(to: .hours(1) + .microseconds(1))
        #expect(workers.grants.count - before <= 1)
    }

    @Test("as many in flight as allowed, each worker its part, and one more for each that has finished")
    func inFlightLimit() {
        var workers = Workers(Pace(requestsPerSecond: 1_000, inFlight: 30), workers: 3)
        workers.run(to: .seconds(3), finishing: false)
        #expect(workers.pacers.map(\.inFlight) == [10, 10, 10])
        #expect(workers.pacers[0].take(now: workers.now) == .full)
        workers.pacers[0].finished()
        workers.run(to: .seconds(5), finishing: false)
        #expect(workers.pacers[0].inFlight == 10 && workers.grants.count == 31)
        workers.pacers[0].share(among: 1)
        workers.run(to: .seconds(7), finishing: false)
        #expect(workers.pacers[0].inFlight == 30)
    }

    @Test("429s to hundreds in flight halve the rate once, whichever worker met with them")
    func halvedOnceAnEpoch() {
        var workers = Workers(Pace(requestsPerSecond: 200, inFlight: 600), workers: 2)
        workers.run(to: .seconds(2), finishing: false)
        let sent = workers.grants
        for (time, worker) in sent {
            workers.pacers[worker].finished()
            workers.pacers[worker].slowDown(sent: time, now: .seconds(2), pause: .zero)
        }
        workers.run(to: .seconds(3))
        #expect((100..<103).contains(workers.budget.rate), "\(workers.budget.rate)")
        // What was handed out at the old rate is not used.
        workers.run(to: .seconds(5))
        #expect((95...105).contains(workers.count(from: .seconds(3.5), to: .seconds(4.5))))
        #expect(workers.count(from: .seconds(2), to: .seconds(5)) <= 301)
    }

    @Test("a 429 to a request that left at the new rate halves it again, down to one a second")
    func halvedAgain() {
        var workers = Workers(Pace(requestsPerSecond: 40, inFlight: 100))
        for second in 1..<12 {
            let time = Duration.seconds(second * 2)
            workers.now = time
            workers.pacers[0].slowDown(sent: time, now: time, pause: .zero)
            workers.ask(0)
        }
        #expect((1..<1.5).contains(workers.budget.rate), "\(workers.budget.rate)")
    }

    @Test("after a cut the rate climbs slowly, and back to its setting only")
    func climb() {
        var workers = Workers(Pace(requestsPerSecond: 40, inFlight: 100))
        workers.pacers[0].slowDown(sent: .zero, now: .zero, pause: .zero)
        workers.run(to: .minutes(20))
        #expect((195...225).contains(workers.count(from: .zero, to: .seconds(10))))
        let last = workers.count(from: .minutes(20) - .seconds(10), to: .minutes(20))
        #expect((395...405).contains(last), "\(last) in the last ten seconds")
        #expect(workers.budget.rate == 40)
    }

    @Test("one row that is answered with 429 whenever it is sent does not slow the others for good")
    func oneBadRow() {
        var workers = Workers(Pace(requestsPerSecond: 40, inFlight: 100))
        // Every ten minutes at the earliest: so long a row waits after a 429.
        for round in 0..<12 {
            let time = Duration.minutes(10 * round)
            workers.run(to: time)
            workers.pacers[0].slowDown(sent: time, now: time, pause: .zero)
        }
        workers.run(to: .minutes(120))
        #expect(workers.grants.count > 40 * 7_200 * 3 / 4, "\(workers.grants.count)")
    }

    @Test("nothing leaves in a pause, for no worker; a later 429 of the epoch can lengthen it, none can shorten it")
    func pause() {
        var workers = Workers(Pace(requestsPerSecond: 100, inFlight: 1_000), workers: 2)
        workers.now = .seconds(1)
        workers.pacers[0].slowDown(sent: .zero, now: .seconds(1), pause: .seconds(120))
        workers.ask(0)
        workers.now = .seconds(2)
        workers.pacers[1].slowDown(sent: .zero, now: .seconds(2), pause: .seconds(180))
        workers.ask(1)
        workers.pacers[0].slowDown(sent: .zero, now: .seconds(3), pause: .seconds(5))
        workers.now = .seconds(10)
        workers.run(to: .seconds(190))
        #expect(workers.grants.allSatisfy { $0.time >= .seconds(182) })
        #expect(workers.count(from: .seconds(182), to: .seconds(183)) <= 60)
        #expect(Set(workers.grants.map(\.worker)) == [0, 1])
    }

    @Test("a store whose clock was set back by a day does not stand still")
    func clockSetBack() {
        var budget = SharedBudget(pace: .standard, now: Samples.noon)
        let request = SliceRequest(pace: .standard, wanted: 10)
        _ = budget.grant(request, now: Samples.noon)
        let slice = budget.grant(request, now: Samples.noon - .days(1))
        #expect(slice.count == 10 && slice.start == .zero)
        let news = SliceRequest(pace: .standard, wanted: 0, slowDown: SlowDown(age: .zero, pause: .hours(1)))
        _ = budget.grant(news, now: Samples.noon)
        #expect(budget.grant(request, now: Samples.noon + .minutes(1)).start == .minutes(59))
        #expect(budget.grant(request, now: Samples.noon - .days(1)).count == 10)
    }

    @Test("a pace that would send nothing is raised to one")
    func leastPace() {
        #expect(Pace(requestsPerSecond: 0, inFlight: 0) == Pace(requestsPerSecond: 1, inFlight: 1))
    }
}
