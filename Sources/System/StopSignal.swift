import Glibc
import Synchronization

/// Whether the process was asked to end.
///
/// A signal handler can reach nothing but globals, so this one flag is global because there is no other way.
private let stopRequests = Atomic<Int>(0)

/// Takes SIGTERM and SIGINT as a request to end in good order; a second one, of either, ends the process at once, as
/// the signal by itself would.
package func takeStopSignals() {
    for number in [SIGTERM, SIGINT] {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            guard stopRequests.add(1, ordering: .relaxed).oldValue > 0 else { return }
            signal(number, SIG_DFL)
            raise(number)
        }
        action.sa_flags = SA_RESTART
        _ = unsafe sigaction(number, &action, nil)
    }
}

/// Whether SIGTERM or SIGINT has come since `takeStopSignals`.
package func isStopRequested() -> Bool {
    stopRequests.load(ordering: .relaxed) > 0
}
