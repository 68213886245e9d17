import AppAttest
import Refresh

extension DueReason {
    /// One stable word for programs.
    package var word: String {
        switch self {
        case .notDue: "not_due"
        case .firstReading: "first_reading"
        case .backFill: "back_fill"
        case .metricMissing: "metric_missing"
        case .clear: "clear"
        case .flagged: "flagged"
        case .background: "background"
        case .windowOpens: "window_opens"
        case .late: "late"
        case .beforeLastTenth: "before_last_tenth"
        case .lastTenth: "last_tenth"
        case .quiet: "quiet"
        case .quietLastTry: "quiet_last_try"
        case .quietUntilExpiry: "quiet_until_expiry"
        case .early: "early"
        case .held: "held"
        case .charged: "charged"
        case .failed: "failed"
        case .tooManyRequests: "too_many_requests"
        case .released: "released"
        case .expired: "expired"
        case .drawnBefore: "drawn_before"
        }
    }

    /// A sentence for people, with what the settings say.
    func sentence(_ cadence: Cadence, _ quarantine: QuarantineReason?) -> String {
        switch self {
        case .notDue: quarantine.map { "not due: put aside for a person, \($0.meaning)" } ?? "not due any more"
        case .firstReading:
            "its first reading: within \(durationWords(cadence.firstReading)) of being taken in (first_reading), "
                + "spread evenly"
        case .backFill:
            "taken in with a back-fill: its first reading is somewhere in the time given for that (--spread), "
                + "behind all others"
        case .metricMissing: "its receipt came without a metric: asked for as soon as the window opens"
        case .clear:
            "read every \(durationWords(cadence.clear)) while there is no flag (clear), "
                + "spread over the last fifth of it"
        case .flagged:
            "its device is flagged: read \(durationWords(cadence.flagged)) after the last receipt (flagged), "
                + "as soon as the window opens"
        case .background:
            "its device is read through another key; this one every \(durationWords(cadence.background)) (background)"
        case .windowOpens: "its cadence would have it earlier, and its window opens only then"
        case .late:
            "its time had passed when it was stored: spread over \(durationWords(cadence.firstReading)) from then"
        case .beforeLastTenth: "its cadence would have it in the last tenth of its window: pulled before that"
        case .lastTenth: "in the last tenth of its window when it was stored: at once"
        case .quiet: "Apple had no data (404): asked again every \(durationWords(cadence.quiet)) (quiet)"
        case .quietLastTry: "Apple had no data (404): asked once more before the last tenth of its window"
        case .quietUntilExpiry: "Apple had no data (404), and the window ends too soon to ask again: it retires then"
        case .early(let count): "too early (304) \(times(count)) in a row: the wait doubles from 1 h to 24 h"
        case .held: "put aside without charge, for 1 to 6 h: what failed may have been ours"
        case .charged(let count): "failed for something of its own \(times(count)) in a row: tried again within a day"
        case .failed(let count): "not answered as hoped \(times(count)) in a row: the wait grows with each"
        case .tooManyRequests: "the data server wanted fewer requests (429): moved by 10 to 60 min"
        case .released: "released from quarantine by a person: spread over an hour"
        case .expired: "expired with data expected: tried once a day, for 7 days"
        case .drawnBefore:
            "drawn when its device stood otherwise or other settings were in force, and kept until it is tried"
        }
    }

    private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}

extension QuarantineReason {
    /// What it means, for people.
    package var meaning: String {
        switch self {
        case .environment: "the data server says that it belongs to the other environment"
        case .badRequest: "it was refused (400) twice, a day apart"
        case .foreignTeam: "the credential was refused (401 or 403) while others of its team pass"
        case .notVerified: "three answers to it did not verify"
        case .notNewer: "three answers to it were not newer than what was sent"
        case .otherKey: "three answers to it spoke of another key or app"
        }
    }
}

extension Rank {
    /// One word, for people and programs.
    package var word: String {
        switch self {
        case .expiring: "expiring"
        case .firstReading: "first_reading"
        case .flagged: "flagged"
        case .routine: "routine"
        case .background: "background"
        }
    }
}
