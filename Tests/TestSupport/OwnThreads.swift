import Foundation
import Testing

/// Runs tests on threads of their own. Those that wait for processes or servers hold the thread that they wait on, and
/// of the pool's there are as few as the machine has cores: others, that must look at something in time, would find
/// none.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(ThreadPerJob()) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// On threads of its own; see `OwnThreads`.
    package static var ownThreads: Self { OwnThreads() }
}

/// A thread for each piece of work.
private final class ThreadPerJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
