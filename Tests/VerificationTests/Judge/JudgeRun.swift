import AppAttest
import OpenSSL
import TestSupport
import Verification

/// Holds the verifier against `CMS_verify`, case by case.
struct JudgeRun: Sendable {
    let pool: JudgePool
    let verifier: ReceiptVerifier
    let seed: UInt64

    init(_ pool: JudgePool, seed: UInt64) {
        self.pool = pool
        self.verifier = ReceiptVerifier(trusting: pool.anchors, blockedSigners: pool.blocked)
        self.seed = seed
    }

    /// Every `workers`-th case of `count` from the `worker`-th on; strata take turns.
    func judge(worker: Int, of workers: Int, count: Int) -> JudgeTally {
        var tally = JudgeTally()
        for number in stride(from: worker, to: count, by: workers) {
            let stratum = Stratum.allCases[number % Stratum.allCases.count]
            var generator = SeededGenerator(seed: seed &+ UInt64(number))
            do {
                let subject = try pool.makeCase(stratum, &generator)
                judge(subject, stratum, number, &tally)
            } catch {
                tally.violations.append("\(stratum) \(number): cannot be made: \(error)")
            }
        }
        return tally
    }

    private func judge(_ subject: JudgeCase, _ stratum: Stratum, _ number: Int, _ tally: inout JudgeTally) {
        tally.cases += 1
        tally.strata[stratum, default: 0] += 1
        let theirs = try? CMS.verify(
            subject.bytes, anchors: pool.anchors.certificates, at: subject.time.seconds)
        var failure: VerificationFailure?
        var complaints: [String] = []
        do throws(VerificationFailure) {
            let receipt = try verify(subject)
            complaints += differences(receipt, theirs, subject)
            if theirs != nil { tally.acceptedByBoth += 1 }
        } catch {
            failure = error
            tally.failures[FailureKind(error), default: 0] += 1
            if theirs == nil {
                tally.refusedByBoth += 1
            } else if let reason = StricterReason(error) {
                tally.stricter[reason, default: 0] += 1
            } else {
                complaints.append("refused, though CMS_verify accepts: \(error)")
            }
        }
        complaints += surprise(subject.verdict, failure, accepted: theirs != nil)
        complaints += compare(subject, failure, number, &tally)
        tally.violations += complaints.map { "\(stratum) \(number): \($0)" }
    }

    private func verify(_ subject: JudgeCase) throws(VerificationFailure) -> VerifiedReceipt {
        let bytes = ReceiptBytes(subject.bytes)
        switch subject.request {
        case .stored(let expected): return try verifier.verifyStored(bytes, expecting: expected)
        case .answer(let replaced, let serverDate):
            return try verifier.verifyAnswer(
                bytes, replacing: replaced, serverDate: serverDate, now: serverDate + .days(400))
        }
    }

    /// What differs between an accepted receipt and what `CMS_verify` makes of it.
    private func differences(
        _ receipt: VerifiedReceipt, _ theirs: CMS.Verified?, _ subject: JudgeCase
    ) -> [String] {
        guard let theirs else { return ["accepted, though CMS_verify refuses it"] }
        var complaints: [String] = []
        if (try? SignedReceipt(reading: subject.bytes).content) != theirs.content {
            complaints.append("accepted with other content")
        }
        if (try? ReceiptPayload(reading: theirs.content)) != receipt.payload {
            complaints.append("accepted with another payload")
        }
        if theirs.signers.map(\.serial) != [receipt.signerSerial] {
            complaints.append("accepted with another signer")
        }
        if receipt.payload.creationTime.instant != subject.time { complaints.append("judged at another time") }
        return complaints
    }

    private func surprise(
        _ verdict: JudgeCase.Verdict, _ failure: VerificationFailure?, accepted: Bool
    ) -> [String] {
        switch (verdict, failure) {
        case (.either, _), (.refusedSomehow, .some): []
        case (.accepted, nil): accepted ? [] : ["expected both to accept"]
        case (.refused(let kind), .some(let failure)) where FailureKind(failure) == kind: []
        case (.accepted, .some), (.refused, _), (.refusedSomehow, nil):
            ["expected \(verdict), found \(failure.map { "\($0.word): \($0)" } ?? "a receipt that is accepted")"]
        }
    }

    /// Holds the list of checks against the product's verdict, and lists without one check against the whole list.
    private func compare(
        _ subject: JudgeCase, _ failure: VerificationFailure?, _ number: Int, _ tally: inout JudgeTally
    ) -> [String] {
        var list = CheckList(anchors: pool.anchors, blocked: pool.blocked)
        var complaints: [String] = []
        // Whole rounds of the strata, one in sixteen.
        if number / Stratum.allCases.count % 16 == 0 {
            tally.compared += 1
            let found = list.failure(of: subject)
            if found != failure { complaints.append("the whole list finds \(found?.word ?? "nothing")") }
        }
        guard let failure else { return complaints }
        let check = CheckList.Check(finding: failure)
        guard tally.letThrough[check, default: 0] < 25 else { return complaints }
        list.omitted = check
        if list.failure(of: subject) == nil { tally.letThrough[check, default: 0] += 1 }
        return complaints
    }
}
