import AppAttest

/// A reply after verification: what the policy decides on. Only a verified receipt can be merged.
package enum Finding: Hashable, Sendable {
    /// 200 with a receipt that verifies as an answer to what was sent.
    case verified(VerifiedReceipt)
    /// 200 with a receipt that does not.
    case doubtful(AnswerFault)
    /// See `Reply.notModified`.
    case notModified
    /// See `Reply.incorrectEnvironment`.
    case incorrectEnvironment
    /// See `Reply.badRequest`.
    case badRequest
    /// See `Reply.unauthorized`.
    case unauthorized
    /// See `Reply.noData`.
    case noData
    /// See `Reply.tooManyRequests`.
    case tooManyRequests(RetryAfter?)
    /// See `Reply.serverFailure`.
    case serverFailure
    /// See `Reply.unreachable`.
    case unreachable(TransportFailure)
    /// See `Reply.refusedStream`.
    case refusedStream
    /// See `Reply.unexpected`.
    case unexpected(UnexpectedReply)

    /// The finding for a reply; `verify` is asked only where there is a receipt to judge.
    package init(_ reply: Reply, verify: (ReceiptBytes) throws(AnswerFault) -> VerifiedReceipt) {
        switch reply {
        case .receipt(let answer):
            do throws(AnswerFault) {
                self = .verified(try verify(answer))
            } catch {
                self = .doubtful(error)
            }
        case .notModified: self = .notModified
        case .incorrectEnvironment: self = .incorrectEnvironment
        case .badRequest: self = .badRequest
        case .unauthorized: self = .unauthorized
        case .noData: self = .noData
        case .tooManyRequests(let retryAfter): self = .tooManyRequests(retryAfter)
        case .serverFailure: self = .serverFailure
        case .unreachable(let failure): self = .unreachable(failure)
        case .refusedStream: self = .refusedStream
        case .unexpected(let reply): self = .unexpected(reply)
        }
    }

    /// What went wrong in one stable word for events; nil for a receipt, 304 and 404, which are in the order of things.
    package var failureWord: String? {
        switch self {
        case .verified, .notModified, .noData: nil
        case .doubtful(let fault): fault.word
        case .incorrectEnvironment: "incorrect_environment"
        case .badRequest: "bad_request"
        case .unauthorized: "unauthorized"
        case .tooManyRequests: "too_many_requests"
        case .serverFailure: "server_failure"
        case .unreachable(let failure): failure.rawValue
        case .refusedStream: "refused_stream"
        case .unexpected(.status): "unexpected_status"
        case .unexpected(.tooLarge): "too_large"
        case .unexpected(.notBase64): "not_base64"
        }
    }

    /// Whether the data server itself did its work: false where no answer came, it failed, or what answered does not
    /// speak as Apple's data server does, as a login page before it does not.
    package var isServed: Bool {
        switch self {
        case .verified, .doubtful, .notModified, .incorrectEnvironment, .badRequest, .unauthorized, .noData,
            .tooManyRequests:
            true
        case .serverFailure, .unreachable, .refusedStream, .unexpected:
            false
        }
    }
}
