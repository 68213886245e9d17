import System

/// How much a line on standard error matters. The numbers are those of syslog(3).
enum LinePriority: Int {
    /// A person has to do something.
    case error = 3
    /// The work was done, and somebody should know.
    case warning = 4
    /// For whoever reads along.
    case information = 6

    /// Each line of a text with the mark by which journald knows its priority (sd-daemon(3)).
    func marking(_ text: String) -> String {
        "<\(rawValue)>" + text.replacing("\n", with: "\n<\(rawValue)>")
    }
}

/// systemd's journal at the end of a standard stream.
enum Journald {
    /// Whether a descriptor is the stream that `JOURNAL_STREAM` names by device and inode, in decimal with a colon
    /// between them (systemd.exec(5)). The variable alone says nothing: a redirection leaves it in place.
    static func isAt(_ descriptor: FileDescriptor, _ variable: String) -> Bool {
        guard let status = try? FileStatus(of: descriptor) else { return false }
        return variable == "\(status.device):\(status.inode)"
    }
}
