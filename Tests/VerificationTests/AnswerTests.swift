import AppAttest
import SimulatedDataServer
import Testing
import Verification

@Suite("Answers")
struct AnswerTests {
    let mint: Mint

    init() throws {
        mint = try Mint()
    }

    /// The word of the failure; nil for an answer that is accepted.
    private func word(
        _ bytes: ReceiptBytes, replacing replaced: ReplacedReceipt? = nil, date: Instant?, now: Instant = Mint.instant
    ) throws -> String? {
        let replaced = try replaced ?? mint.replaced()
        do {
            _ = try mint.verifier.verifyAnswer(bytes, replacing: replaced, serverDate: date, now: now)
            return nil
        } catch { return error.word }
    }

    @Test(
        "an answer may be five minutes older than the server's date and a minute ahead of it",
        arguments: [
            (0, nil), (300, nil), (301, "stale"), (86_400, "stale"), (-60, nil), (-61, "from_future"),
            (-86_400, "from_future"),
        ] as [(Int64, String?)])
    func freshness(age: Int64, expected: String?) throws {
        #expect(try word(mint.receipt(), date: Mint.instant + .seconds(age)) == expected)
        // Our own clock counts only where the reply has no date.
        #expect(try word(mint.receipt(), date: nil, now: Mint.instant + .seconds(age)) == expected)
        #expect(try word(mint.receipt(), date: Mint.instant, now: Mint.instant + .seconds(age)) == nil)
    }

    @Test("fault 8: an answer out of time is refused with both times and the limit, and not for our clock's sake")
    func clockTexts() throws {
        func text(_ date: Instant?, now: Instant) throws -> String? {
            do {
                _ = try mint.verifier.verifyAnswer(
                    mint.receipt(), replacing: mint.replaced(), serverDate: date, now: now)
                return nil
            } catch { return "\(error)" }
        }
        #expect(
            try text(Mint.instant + .seconds(301), now: Mint.instant)
                == "expected an answer created at most 300 s before 2026-09-21T14:18:21Z, "
                + "found one created at \(Mint.time.text)")
        #expect(
            try text(nil, now: Mint.instant - .hours(1))
                == "expected an answer created at most 60 s after 2026-09-21T13:13:20Z, "
                + "found one created at \(Mint.time.text)")
        for skew in [Duration.days(-400), .hours(-1), .hours(1), .days(400)] {
            #expect(try text(Mint.instant, now: Mint.instant + skew) == nil)
        }
    }

    @Test("an answer that is not newer than what it replaces moves nothing backwards")
    func succession() throws {
        for created in [Mint.instant, Mint.instant + .seconds(1), Mint.instant + .days(3)] {
            #expect(
                try word(mint.receipt(), replacing: mint.replaced(created: created), date: Mint.instant) == "not_newer")
        }
        let before = Instant(microseconds: Mint.instant.microseconds - 1_000)
        #expect(try word(mint.receipt(), replacing: mint.replaced(created: before), date: Mint.instant) == nil)
    }

    @Test("the verifier knows the signers of the answers that it judged, and until when their chains hold")
    func signers() throws {
        let verifier = mint.verifier
        #expect(verifier.signersOfAnswers.isEmpty)
        _ = try verifier.verifyAnswer(
            mint.receipt(), replacing: mint.replaced(), serverDate: Mint.instant, now: Mint.instant)
        let signer = try #require(verifier.signersOfAnswers.first)
        #expect(verifier.signersOfAnswers.count == 1)
        let end = Instant(seconds: signer.validity.upperBound)
        #expect(end > Mint.instant && end <= Mint.instant + .days(395))
        #expect(signer.chain.first?.serial == signer.serial.bytes)
    }

    @Test("an ATTEST receipt is no answer")
    func attest() throws {
        #expect(try word(mint.receipt(kind: .attest), date: Mint.instant) == "receipt_type")
    }

    @Test("an answer without a metric is one: the metric is unknown")
    func unmeasured() throws {
        let answer = try mint.verifier.verifyAnswer(
            mint.receipt(kind: .receipt(riskMetric: nil)), replacing: mint.replaced(), serverDate: Mint.instant,
            now: Mint.instant)
        #expect(answer.payload.riskMetric == nil)
    }

    @Test("another app's, environment's or key's answer is refused as that")
    func identity() throws {
        var content = mint.content()
        content.appID = "ABCDE12345.com.example.other"
        #expect(try word(ReceiptBytes(mint.signer.envelope(content.encoded)), date: Mint.instant) == "app_id")
        content = mint.content()
        content.environment = .development
        #expect(try word(ReceiptBytes(mint.signer.envelope(content.encoded)), date: Mint.instant) == "environment")
        content = mint.content()
        content.certificate = try mint.pki.attestKey(appID: Mint.appID, at: Mint.time).certificate
        #expect(try word(ReceiptBytes(mint.signer.envelope(content.encoded)), date: Mint.instant) == "key")
    }

    @Test("the key is the same whether its certificate is known or parsed")
    func knownCertificate() throws {
        let known = try mint.verifier.verifyAnswer(
            mint.receipt(), replacing: mint.replaced(), serverDate: Mint.instant, now: Mint.instant)
        let parsed = try mint.verifier.verifyStored(mint.receipt(), expecting: mint.expected())
        #expect(known.publicPoint == parsed.publicPoint)
        #expect(known.keyID == parsed.keyID)
        #expect(known.attestedCertificateDigest == parsed.attestedCertificateDigest)
        #expect(known.keyID.bytes == mint.device.keyID)
    }

    @Test("a changed token is no failure")
    func token() throws {
        var content = mint.content()
        content.token = "another"
        #expect(try word(ReceiptBytes(mint.signer.envelope(content.encoded)), date: Mint.instant) == nil)
    }
}
