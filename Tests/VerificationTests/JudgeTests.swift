import Foundation
import Testing
import Verification

@Suite("The judge")
struct JudgeTests {
    /// How many cases; `ops/test` asks for more in a whole run.
    static let count = ProcessInfo.processInfo.environment["ATTESTWATCH_JUDGE_MUTATIONS"].flatMap(Int.init) ?? 20_001
    static let seed = ProcessInfo.processInfo.environment["ATTESTWATCH_JUDGE_SEED"].flatMap(UInt64.init)

    @Test("what is accepted CMS_verify accepts too, with the same content and signer; no check can be left out")
    func judge() async throws {
        let seed = Self.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("Judge: ATTESTWATCH_JUDGE_SEED=\(seed)")
        let run = JudgeRun(try JudgePool(), seed: seed)
        let count = max(Self.count, 20_001)
        let tally = await withTaskGroup(of: JudgeTally.self) { group in
            for worker in 0..<2 { group.addTask { await onThread { run.judge(worker: worker, of: 2, count: count) } } }
            return await group.reduce(into: JudgeTally()) { $0.add($1) }
        }
        print(tally.table)
        for violation in tally.violations.prefix(20) { Issue.record("\(violation) (seed \(seed))") }
        #expect(tally.violations.isEmpty)
        #expect(tally.cases == count)
        #expect(tally.acceptedByBoth * 10 >= count, "at least a tenth is accepted by both")
        for kind in FailureKind.allCases { #expect(tally.failures[kind, default: 0] >= 100, "\(kind)") }
        for stratum in Stratum.allCases { #expect(tally.strata[stratum, default: 0] >= 100, "\(stratum)") }
        for check in CheckList.Check.allCases { #expect(tally.letThrough[check, default: 0] > 0, "\(check)") }
        #expect(tally.compared > 1_000)
    }
}

/// Does work on a thread of its own: minutes of it would keep all other tests off the cooperative pool.
private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: work()) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
