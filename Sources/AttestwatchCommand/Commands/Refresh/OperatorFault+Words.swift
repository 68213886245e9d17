import AppAttest
import Refresh
import Reporting

extension OperatorFault {
    /// What a fault is to people.
    struct Words: Hashable {
        /// What was expected and what was found, in one line.
        let message: String
        /// What to do.
        let hint: String

        init(_ message: String, hint: String) {
            self.message = message
            self.hint = hint
        }
    }

    /// Answers that are not believed, one or all of them.
    static let doubtHint =
        "is the URL that of the data server, with nothing in between that changes or keeps answers? is the clock "
        + "right? has Apple changed an intermediate certificate? none of these receipts was replaced; their answers "
        + "are kept for 'attestwatch quarantine recheck'"

    /// What a run says of it, and what its alert says.
    var words: Words {
        switch self {
        case .credentialRejected(let lane): Self.refusal(of: lane, .credentialRefused)
        case .keyRejected(let lane, let keyID):
            Words(
                "the data server refused the signing key \(keyID) (team \(lane)), and took another one of these keys",
                hint: "while keys are changed the new one may not be known yet; else take the refused one out of "
                    + "signing_keys, and never revoke the one that is taken")
        case .requestsRefused(let lane, let cause): Self.refusal(of: lane, cause)
        case .receiptsQuarantined(let reason, let count):
            Words(
                "\(count) receipts wait for a person, of each of which holds: \(reason.meaning)",
                hint: "\(reason.hint); 'attestwatch quarantine list --reason \(reason.rawValue)' names their keys")
        case .backlogLate(let count, let oldest):
            Words(
                "\(count) receipts have been due for over \(durationWords(AlertJudgement.lateAfter)), the first of "
                    + "them since \(oldest.secondsText)",
                hint: "other alerts may say what holds them up; else let refresh run more often or longer, or raise "
                    + "requests_per_second; 'attestwatch plan' says what the pace allows")
        case .intakeLate(let count, let oldest, let elsewhere): Self.waiting(count, since: oldest, elsewhere)
        case .receiptsLost(let count):
            Words(
                "\(count) receipts expired while data was expected",
                hint: "what kept them from being replaced in time? their keys have no new reading until their devices "
                    + "attest anew")
        case .answersDoubted(let environment, let words):
            Words(
                "expected answers of the data server for \(environment) that verify and fit what was sent, found "
                    + "\(words.total) that do not (\(printable(words.list)))", hint: Self.doubtHint)
        case .breakerOpen(let environment, let word):
            Words(
                "the data server for \(environment) was failing when the run ended: \(printable(word))",
                hint: hintForUnavailableServer(word))
        case .paceThrottled(let environment):
            Words(
                "the data server for \(environment) answered nothing but 429",
                hint: "its receipts are due again within the hour or two; does another program send for this team? "
                    + "requests_per_second sets the pace")
        case .clockSkewed(let environment, let skew):
            Words(ClockSkew(skew).words(of: "the data server for \(environment)"), hint: ClockSkew.hint)
        case .databaseClockSkewed(let skew):
            Words(
                ClockSkew(skew).words(of: "the database's server"),
                hint: "set the one that is wrong; back ends are told levels by the database's clock")
        case .certificateExpiring(let certificate): Self.ending(certificate)
        }
    }

    private static func refusal(of lane: Lane, _ cause: StopCause) -> Words {
        Words(
            "\(cause.refusal?.message ?? "the lane has stopped") (team \(lane)\(lane.keys))",
            hint: cause.refusal?.hint ?? "")
    }

    private static func waiting(_ count: Int, since oldest: Instant, _ elsewhere: [String]) -> Words {
        let named = elsewhere.isEmpty ? "" : "; this configuration does not have \(someNames(elsewhere))"
        return Words(
            "\(count) receipts handed over in SQL have waited for over "
                + "\(durationWords(AlertJudgement.submissionLateAfter)), the first of them since \(oldest.secondsText)"
                + named,
            hint: elsewhere.isEmpty
                ? "let refresh run more often or longer: it takes in what it has the time for"
                : "add these to \"apps\" in some worker's configuration, or see why the back end names them")
    }

    private static func ending(_ certificate: CertificateEnd) -> Words {
        let span = durationWords(certificate.warningTime)
        return switch certificate.role {
        case .signer:
            Words(
                "expected signers whose certificates hold for \(span) more, found serial number \(certificate.name), "
                    + "which holds until \(certificate.time.secondsText)",
                hint: "Apple changes signers about a month before; does something in between hand out old answers? "
                    + "what it signs later will not verify")
        case .anchor:
            Words(
                "expected trust anchors that hold for \(span) more, found \(printable(certificate.name)), which holds "
                    + "until \(certificate.time.secondsText)",
                hint: "replace the file that trust_anchors.receipts names; for Apple's own root a newer attestwatch is "
                    + "needed")
        }
    }
}

extension Lane {
    /// The keys that sign for it, as a part of a sentence.
    var keys: String {
        guard let first = keyIDs.first else { return "" }
        return keyIDs.count == 1 ? ", key \(first)" : ", keys \(keyIDs.joined(separator: " and "))"
    }
}

extension AlertChanges {
    /// What a judgement comes to, in words.
    init(_ judgement: AlertJudgement) {
        self.init(
            found: judgement.found.map { fault in
                OperatorAlert(name: fault.name, message: fault.words.message, hint: fault.words.hint)
            }, ended: judgement.ended)
    }
}
