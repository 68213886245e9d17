import Glibc

/// A program that this process started and that is to end with it.
package struct ChildProcess: ~Copyable {
    /// The kernel's number of the process.
    package let identifier: Int32
    private var status: Int32?

    private init(identifier: Int32) {
        self.identifier = identifier
    }

    /// Starts a program found on the PATH; it has `inherited` open beside the standard streams, and no signal blocked.
    ///
    /// It gets SIGTERM when the thread that started it ends (util-linux's setpriv asks the kernel for that), and does
    /// not begin where this process has ended before that was asked for.
    package static func start(
        _ arguments: [String], environment: [String], inheriting inherited: [Int32] = []
    ) throws(SystemError) -> ChildProcess {
        let keeper = ["setpriv", "--pdeathsig", "TERM", "--", "sh", "-c", #"[ "$PPID" = "$0" ] && exec "$@""#]
        let command = keeper + ["\(getpid())"] + arguments
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // Onto itself clears close-on-exec (POSIX: posix_spawn_file_actions_adddup2).
        for number in inherited { unsafe posix_spawn_file_actions_adddup2(&actions, number, number) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process: pid_t = 0
        let code = unsafe withCStrings(command) { argv in
            unsafe withCStrings(environment) { envp in
                unsafe posix_spawnp(&process, command[0], &actions, &attributes, argv, envp)
            }
        }
        guard code == 0 else { throw SystemError(call: "posix_spawnp", path: command[0], code: code) }
        return ChildProcess(identifier: process)
    }

    /// Whether it has not ended yet.
    package mutating func isRunning() -> Bool {
        if status == nil {
            var code: Int32 = 0
            if unsafe waitpid(identifier, &code, WNOHANG) == identifier { status = code }
        }
        return status == nil
    }

    /// Asks it to end and waits until it has.
    package mutating func end() {
        guard isRunning() else { return }
        kill(identifier, SIGTERM)
        var code: Int32 = 0
        while unsafe waitpid(identifier, &code, 0) < 0 && errno == EINTR {}
        status = code
    }
}

/// Calls `body` with a null-terminated list of C strings, valid during the call.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    return unsafe body(&pointers)
}
