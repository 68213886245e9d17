import AttestwatchCommand
import Synchronization
import Testing

@Suite("Sleeping in a run")
struct MonotonicTimerTests {
    @Test("a sleep that began before the request to stop ends with it")
    func begunBefore() async {
        let looks = Looks()
        // The request comes after the first look.
        let timer = MonotonicTimer { looks.next() > 1 }
        await timer.sleep(until: .seconds(3_600))
        #expect(timer.now() < .seconds(3_600))
    }

    @Test("a sleep that begins after the request lasts, so that a run that waits for answers does not spin")
    func begunAfter() async {
        let timer = MonotonicTimer { true }
        let end = timer.now() + .milliseconds(20)
        await timer.sleep(until: end)
        #expect(timer.now() >= end)
    }
}

/// How often something was looked at.
private final class Looks: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
