import Foundation

/// A folder that takes so many octets: a file system of its own where this process may mount one, else a limit on the
/// size of files, under which whoever writes there has to be started.
///
/// The file system goes with the value, or when this process dies.
package final class LimitedFolder {
    private static let keeping = #"""
        trap : HUP INT TERM
        mount -t tmpfs -o "size=$2,mode=0700" tmpfs "$1" && echo mounted && cat >/dev/null
        umount -l "$1"
        """#

    private let path: String
    private var keeper: Keeper?

    /// The command that starts a program under the limit; empty where the folder is limited by itself.
    package let words: [String]
    /// What the program says of the limit.
    package let reason: String

    /// Makes the folder, with mode 0700.
    package init(_ path: String, octets: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        keeper = try? Keeper(Self.keeping, [path, "\(octets)"], until: "mounted\n", asRoot: true)
        words = keeper == nil ? ["prlimit", "--fsize=\(octets)"] : []
        reason = keeper == nil ? "file too large" : "no space left on device"
    }

    deinit { keeper?.end() }

    /// Gives the file system, if it is one, 64 MiB.
    package func makeRoom() throws {
        guard keeper != nil else { return }
        let result = try runTool("mount", ["-o", "remount,size=64m", path])
        if result.status != 0 { throw KeeperFailure(log: result.errors) }
    }

    /// Takes the file system away, if it is one, with what is in it.
    package func unmount() {
        keeper?.end()
        keeper = nil
    }
}
