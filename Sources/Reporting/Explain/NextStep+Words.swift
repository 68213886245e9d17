import AppAttest
import Refresh

extension NextStep {
    /// One stable word for programs.
    package var word: String {
        switch self {
        case .send: "send"
        case .waits: "wait"
        case .ends(let state): state == .retired ? "retire" : "lose"
        case .nothing: "nothing"
        case .appNotConfigured: "hold"
        }
    }

    /// What a run now would do, as it goes on after "a run now would".
    func sentence(for explanation: Explanation) -> String {
        switch self {
        case .send(let rank): "send it to \(explanation.dataServer), rank \(rank.word)"
        case .waits(let until): "not send it: due in \(durationWords(until - explanation.now))"
        case .ends(.retired): "retire it: it has expired while quiet"
        case .ends: "give it up as lost: it expired over 7 d ago, and nothing came"
        case .appNotConfigured:
            "not send it: the app \(explanation.record.appID) is not configured; put off for 1 to 6 h"
        case .nothing(let state): "not send it: \(Self.words(for: state))"
        }
    }

    private static func words(for state: ReceiptState) -> String {
        switch state {
        case .quarantined: "quarantined; 'attestwatch quarantine release' brings it back"
        case .dropped: "dropped by a person"
        case .retired: "retired; a newer receipt of the key brings it back"
        case .lost: "lost; a newer receipt of the key brings it back"
        case .active, .quiet: "nothing is known against it"
        }
    }
}
