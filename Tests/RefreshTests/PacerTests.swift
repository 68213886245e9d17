import AppAttest
import Refresh
import Testing

@Suite("When a request may leave")
struct PacerTests {
    /// Takes all that is granted from `start` to `end`, waiting only as told, and returns the times of the grants.
    private func grants(
        _ pacer: inout Pacer, from start: Duration, to end: Duration, finishing: Bool = true
    ) -> [Duration] {
        var times: [Duration] = []
        var now = start
        while now < end {
            switch pacer.take(now: now) {
            case .granted:
                times.append(now)
                if finishing { pacer.finished() }
            case .wait(let until):
                #expect(until > now)
                now = until
            case .full:
                return times
            }
        }
        return times
    }

    /// The most grants in any second that begins with one.
    private func busiestSecond(_ times: [Duration]) -> Int {
        var most = 0
        var first = 0
        for (index, time) in times.enumerated() {
            while time - times[first] >= .seconds(1) { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    @Test("In any second the rate and a tenth at most, and over a minute the rate", arguments: [1.0, 3, 50, 3_500])
    func rate(requestsPerSecond: Double) {
        var pacer = Pacer(pace: Pace(requestsPerSecond: requestsPerSecond, inFlight: 10), now: .seconds(5))
        let times = grants(&pacer, from: .seconds(5), to: .seconds(65))
        let burst = max(1, requestsPerSecond / 10)
        #expect(busiestSecond(times) <= Int(requestsPerSecond + burst))
        #expect(abs(times.count - Int(requestsPerSecond * 60)) <= Int(burst) + 1, "\(times.count) in a minute")
    }

    @Test("An idle hour saves up no more than the burst")
    func idleHour() {
        var pacer = Pacer(pace: Pace(requestsPerSecond: 50, inFlight: 1_000), now: .zero)
        #expect(grants(&pacer, from: .hours(1), to: .hours(1) + .microseconds(1)).count == 5)
    }

    @Test("As many in flight as allowed, and one more for each that has finished")
    func inFlightLimit() {
        var pacer = Pacer(pace: Pace(requestsPerSecond: 1_000, inFlight: 30), now: .zero)
        #expect(grants(&pacer, from: .zero, to: .seconds(1), finishing: false).count == 30)
        #expect(pacer.inFlight == 30)
        #expect(pacer.take(now: .seconds(2)) == .full)
        pacer.finished()
        #expect(pacer.take(now: .seconds(2)) == .granted)
        #expect(pacer.take(now: .seconds(2)) == .full)
    }

    @Test("429 halves the rate once an epoch, down to one a second")
    func halvedOnceAnEpoch() {
        var pacer = Pacer(pace: Pace(requestsPerSecond: 40, inFlight: 100), now: .zero)
        pacer.slowDown(sent: .seconds(1), now: .seconds(2), pause: .zero)
        #expect(abs(pacer.requestsPerSecond - 20) < 0.5)
        for _ in 0..<50 {
            pacer.slowDown(sent: .seconds(1.5), now: .seconds(2.5), pause: .zero)
        }
        #expect(abs(pacer.requestsPerSecond - 20) < 0.5)
        pacer.slowDown(sent: .seconds(2.1), now: .seconds(3), pause: .zero)
        #expect(abs(pacer.requestsPerSecond - 10) < 0.5)
        for second in 4..<20 {
            pacer.slowDown(sent: .seconds(second), now: .seconds(second), pause: .zero)
        }
        #expect(pacer.requestsPerSecond >= 1 && pacer.requestsPerSecond < 1.5)
    }

    @Test("After a cut the rate climbs slowly, and back to its setting only")
    func climb() {
        var pacer = Pacer(pace: Pace(requestsPerSecond: 40, inFlight: 100), now: .zero)
        pacer.slowDown(sent: .zero, now: .zero, pause: .zero)
        let times = grants(&pacer, from: .zero, to: .minutes(20))
        let first = times.filter { $0 < .seconds(10) }.count
        let last = times.filter { $0 >= .minutes(20) - .seconds(10) }.count
        #expect((195...220).contains(first), "\(first) in the first ten seconds")
        #expect((399...405).contains(last), "\(last) in the last ten seconds")
        #expect(pacer.requestsPerSecond == 40)
    }

    @Test("Nothing leaves in a pause, and no burst is saved up in it; a later 429 of the epoch can lengthen it")
    func pause() {
        var pacer = Pacer(pace: Pace(requestsPerSecond: 100, inFlight: 1_000), now: .zero)
        pacer.slowDown(sent: .zero, now: .seconds(1), pause: .seconds(120))
        pacer.slowDown(sent: .zero, now: .seconds(2), pause: .seconds(180))
        pacer.slowDown(sent: .zero, now: .seconds(3), pause: .seconds(5))
        #expect(pacer.take(now: .seconds(10)) == .wait(until: .seconds(182)))
        let times = grants(&pacer, from: .seconds(10), to: .seconds(183))
        #expect(times.first.map { $0 >= .seconds(182) } == true)
        #expect(times.count <= 52, "\(times.count) in the first second")
    }

    @Test("A pace that would send nothing is raised to one")
    func leastPace() {
        #expect(Pace(requestsPerSecond: 0, inFlight: 0) == Pace(requestsPerSecond: 1, inFlight: 1))
    }
}
