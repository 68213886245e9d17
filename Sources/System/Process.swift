import CLinux
import Glibc

/// Makes a write to a closed pipe an error of that write instead of the end of the process.
package func ignoreBrokenPipeSignal() {
    _ = signal(SIGPIPE, SIG_IGN)
}

/// Makes a write beyond the limit on file sizes (RLIMIT_FSIZE) an error of that write, not the end of the process.
package func ignoreFileSizeSignal() {
    _ = signal(SIGXFSZ, SIG_IGN)
}

/// Keeps libdispatch from telling the system's log, at each start, that no ordinary user may raise a thread's priority
/// (its errno 13). What `LIBDISPATCH_LOG` says already stays. Its first thread reads that, so nothing may have been
/// waited for before.
package func silenceDispatch() {
    unsafe setenv("LIBDISPATCH_LOG", "NO", 0)
}

/// Ends the process with an exit code.
package func endProcess(_ code: Int32) -> Never {
    exit(code)
}

/// The user this process acts as.
package func effectiveUser() -> UInt32 {
    geteuid()
}

/// Whether this process may write to a path, by the kernel's own rules.
package func isWritable(_ path: String) -> Bool {
    unsafe access(path, W_OK) == 0
}

/// Makes a folder with mode 0700; one that is there already is left as it is.
package func makeDirectory(_ path: String) throws(SystemError) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw SystemError(call: "mkdir", path: path, code: errno)
    }
}

/// Has large blocks go back to the system as soon as they are freed. By itself glibc takes the size of such a block as
/// a hint to keep the next ones, and what batches of receipts have needed once stays with the process (mallopt(3)).
package func returnLargeBlocks() {
    _ = mallopt(M_MMAP_THRESHOLD, 256 * 1024)
    _ = mallopt(M_TRIM_THRESHOLD, 1024 * 1024)
}
