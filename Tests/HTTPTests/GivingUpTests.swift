import Foundation
import HTTP
import Synchronization
import TestServers
import Testing

@Suite("Giving up")
struct GivingUpTests {
    @Test("an answer that has come is handed over, what has none is cut, and nothing is sent any more")
    func answersThatHaveCome() async throws {
        // The test waits for its servers on threads of its own: other tests may hold all of the pool's.
        try await withTaskExecutorPreference(Gate()) {
            try await TestAuthority.with { authority in try await giveUp(trusting: authority) }
        }
    }

    private func giveUp(trusting authority: TestAuthority) async throws {
        let servers = try (0..<3).map { _ in try HoldingServer(try authority.issue()) }
        let requests = try servers.map { try request(to: "https://127.0.0.1:\($0.port)/") }
        let client = try client(authority)
        let gate = Gate()
        defer { gate.open() }
        async let first = withTaskExecutorPreference(gate) { try await client.send(requests[0]) }
        async let answered = client.send(requests[1])
        async let unanswered = failure(client, requests[2])
        for server in servers { try server.waitForRequests(1) }

        // The client's thread is held while it hands over the first answer, so that it finds the second and the wish to
        // give up at the same time.
        gate.close()
        try servers[0].answer(1)
        try gate.waitUntilSomebodyIsHeld()
        try servers[1].answer(1)
        try servers[1].waitForAnswers(1)
        client.giveUp()
        gate.open()
        #expect(try await first.status == 404)
        #expect(try await answered.status == 404)
        #expect(kind(try await unanswered) == "cut")

        try servers[2].answer(2)
        #expect(kind(try await failure(client, requests[2])) == "cut")
    }
}

/// Runs a task on threads of its own, and holds who wakes it: while the gate is closed, the first to come waits.
private final class Gate: TaskExecutor {
    private let isClosed = Atomic(false)
    private let held = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isClosed.exchange(false, ordering: .relaxed) {
            held.signal()
            opened.wait()
        }
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func close() { isClosed.store(true, ordering: .relaxed) }

    func open() { opened.signal() }

    func waitUntilSomebodyIsHeld() throws {
        guard held.wait(timeout: .now() + 60) == .success else { throw TestServerError("nobody came in a minute") }
    }
}
