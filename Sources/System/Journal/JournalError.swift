/// Why a journal cannot be used.
package enum JournalError: Error, Hashable, Sendable {
    /// A file or folder that others could read or have put there.
    case refused(path: String, expected: String, found: String)
    /// A call that the kernel refused.
    case failed(SystemError)

    /// Expected and found, or the kernel's reason; no path.
    package var reason: String {
        switch self {
        case .refused(_, let expected, let found): "expected \(expected), found \(found)"
        case .failed(let error): error.reason
        }
    }

    /// What it is about.
    package var path: String {
        switch self {
        case .refused(let path, _, _): path
        case .failed(let error): error.path
        }
    }
}
