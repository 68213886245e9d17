import AppAttest
import Refresh
import Risk

extension RefreshEvent {
    /// The event as one JSON object in a line, ended by a newline; the keys are always the same.
    package var jsonLine: String {
        let flag = flagWords
        return JSONValue.object([
            "time": .string(time.rfc3339),
            "key_id": .string(keyID.base64),
            "app_id": .string(appID.text),
            "environment": .string(environment.rawValue),
            "outcome": .string(outcome.rawValue),
            "status": .number(status),
            "failure": .text(failure),
            "trace_id": .text(traceID),
            "risk_metric": .number(riskMetric),
            "creation_time": .text(creationTime?.rfc3339),
            "due_time": .text(dueTime?.rfc3339),
            "flag": .text(flag?.change),
            "flag_level": .text(flag?.level?.rawValue),
            "token_changed": .bool(isTokenChanged),
        ]).text + "\n"
    }

    // What happened to the flag, and the level it then has; nil where nothing happened.
    private var flagWords: (change: String, level: FlagLevel?)? {
        switch flagChange {
        case .unchanged: nil
        case .opened(let level): ("opened", level)
        case .raised(_, let level): ("raised", level)
        case .lowered(_, let level): ("lowered", level)
        case .cleared: ("cleared", nil)
        }
    }
}
