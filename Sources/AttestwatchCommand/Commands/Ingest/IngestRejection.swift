import AppAttest
import ReceiptStore
import Verification

/// Why a line is not taken in.
enum IngestRejection: Error, Hashable, Sendable {
    /// More bytes than any line of a receipt.
    case tooLong(limit: Int)
    /// Not RFC 4180.
    case notCSV(CSVDamage)
    /// A record of CSV with more or fewer fields than the header.
    case fieldCount(expected: Int, found: Int)
    /// Not RFC 8259, or a key twice.
    case notJSON(JSON5Error)
    /// JSON of another kind.
    case notAnObject(String)
    /// A member that means nothing.
    case unknownMember(String, nearest: String?)
    /// A member that is missing, of the wrong kind, or not of its form.
    case member(String, expected: String, found: String)
    /// Not even the bytes of a receipt.
    case receipt(ReceiptError)
    /// An app that is not ours.
    case appNotConfigured(AppID)
    /// An environment that the app's settings leave out.
    case environmentNotAccepted(Environment, AppID)
    /// Attested more than a day from now.
    case attestedInFuture(Instant, now: Instant)
    /// The receipt is not believed, or is not this key's, app's or environment's.
    case notVerified(VerificationFailure)
    /// The store has something against it.
    case store(IntakeRejection)

    /// Expected and found, safe to print: nothing of a receipt is in it.
    var description: String {
        switch self {
        case .tooLong(let limit): "expected a line of at most \(limit) bytes, found a longer one"
        case .notCSV(let damage): damage.description
        case .fieldCount(let expected, let found): "expected \(expected) fields as in the header, found \(found)"
        case .notJSON(let error): "column \(error.place.column): expected \(error.expected), found \(error.found)"
        case .notAnObject(let kind): "expected a JSON object, found \(kind)"
        case .unknownMember(let key, let nearest?):
            "unknown key '\(excerpt(key))'; did you mean '\(nearest)'?"
        case .unknownMember(let key, nil): "unknown key '\(excerpt(key))'"
        case .member(let key, let expected, let found): "\(key): expected \(expected), found \(found)"
        case .receipt(let error): "receipt: \(error)"
        case .appNotConfigured(let app): "app_id: expected a configured app, found \(app)"
        case .environmentNotAccepted(let environment, let app):
            "environment: expected one that the configuration accepts for \(app), found \(environment)"
        case .attestedInFuture(let time, let now):
            "attested_time: expected a time no more than a day after now, \(now.rfc3339), found \(time.rfc3339)"
        case .notVerified(let failure): "\(failure.word): \(failure)"
        case .store(let rejection): Self.words(rejection)
        }
    }

    /// A stable word for programs; there are some dozens.
    var word: String {
        switch self {
        case .tooLong: "too_long"
        case .notCSV: "not_csv"
        case .fieldCount: "field_count"
        case .notJSON: "not_json"
        case .notAnObject: "not_an_object"
        case .unknownMember: "unknown_member"
        case .member(let name, _, "none"): "no_\(name)"
        case .member(let name, _, _): "bad_\(name)"
        case .receipt(let error): error.word
        case .appNotConfigured: "app_not_configured"
        case .environmentNotAccepted: "environment_not_accepted"
        case .attestedInFuture: "attested_in_future"
        case .notVerified(let failure): failure.word
        case .store(let rejection): Self.word(rejection)
        }
    }

    private static func word(_ rejection: IntakeRejection) -> String {
        switch rejection {
        case .knownUnderAnotherApp: "known_under_another_app"
        case .knownInAnotherEnvironment: "known_in_another_environment"
        case .referenceUnusable(let field): "bad_\(field)"
        case .valueRefused: "value_refused"
        }
    }

    private static func words(_ rejection: IntakeRejection) -> String {
        switch rejection {
        case .knownUnderAnotherApp(let app): "key_id: expected a key that is new or of this app, found it under \(app)"
        case .knownInAnotherEnvironment(let environment):
            "key_id: expected a key that is new or of this environment, found it in \(environment)"
        case .referenceUnusable(let field):
            "\(field): expected 1 to 512 bytes without NUL, found none, more, or one with it"
        case .valueRefused(let state, let message):
            "the database refused a value: \(excerpt(message, limit: 200)) (SQLSTATE \(state))"
        }
    }
}
