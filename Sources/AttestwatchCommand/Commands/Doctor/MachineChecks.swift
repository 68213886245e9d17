import Reporting
import System

/// What this machine grants the process.
enum MachineChecks {
    /// A run's journal takes a few megabytes at most; below this it may end with 73.
    private static let leastSpace: Int64 = 8 << 20
    /// Below this there is little room for anything else.
    private static let comfortableSpace: Int64 = 64 << 20

    /// The limit of open files.
    static func descriptors(_ limit: Int) -> Check {
        let fewest = RefreshCommand.fewestDescriptors
        guard limit >= fewest else {
            return Check("open files", CommandFailure.descriptorsShort(expected: fewest, found: limit))
        }
        return Check("open files", .ok, "\(limit) may be open at a time, at least \(fewest) are needed")
    }

    /// The state folder with what earlier runs left in it; nil where none is configured.
    static func stateFolder(_ path: String?) -> [Check] {
        let name = "state folder"
        guard let path else {
            return [
                Check(
                    name, .warning, StateDirectory.concern(nil) ?? "none is set",
                    hint: "set state_directory to a folder of this user on a disk, with mode 0700")
            ]
        }
        guard fileExists(path) else { return [missing(path)] }
        do throws(CommandFailure) { try StateDirectory.check(path) } catch { return [Check(name, error)] }
        let persistence =
            StateDirectory.concern(path).map {
                Check(name, .warning, $0, hint: "name a folder on a disk in state_directory")
            } ?? Check(name, .ok, "\(path), of this user with mode 0700, on a disk")
        return [persistence, space(path)] + journals(path)
    }

    private static func missing(_ path: String) -> Check {
        let above = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard isWritable(above) else {
            return Check(
                "state folder",
                .stateDirectory(path, reason: "expected a folder, found none, and \(above) cannot be written to"))
        }
        return Check(
            "state folder", .warning, "expected a folder, found none at \(path)", hint: "the first refresh makes it")
    }

    private static func space(_ path: String) -> Check {
        let name = "state folder's space"
        let free: Int64
        do throws(SystemError) {
            free = try freeOctets(at: path)
        } catch {
            return Check(name, CommandFailure.stateDirectory(path, reason: error.reason))
        }
        let found = "\(free >> 20) MiB are free"
        guard free >= leastSpace else {
            return Check(
                name, .failed(.stateDirectory), "expected at least \(leastSpace >> 20) MiB, \(found)",
                hint: "make room in \(path); until then a run stores what it receives and then ends")
        }
        guard free >= comfortableSpace else {
            return Check(
                name, .warning, "expected \(comfortableSpace >> 20) MiB or more, \(found)", hint: "make room in \(path)"
            )
        }
        return Check(name, .ok, found)
    }

    private static func journals(_ path: String) -> [Check] {
        let name = "journals"
        let names: [String]
        do throws(SystemError) {
            names = try namesInFolder(path)
        } catch {
            return [Check(name, CommandFailure.stateDirectory(path, reason: error.reason))]
        }
        let left = names.count { $0.hasSuffix(".journal") }
        let aside = names.filter { file in
            [".damaged", ".unverified", ".refused"].contains { file.hasSuffix($0) }
        }.sorted()
        var checks: [Check] = []
        if left > 0 {
            checks.append(
                Check(
                    name, .warning, "expected none, found \(left) of a run that is still at work or was cut off",
                    hint: "the next refresh on this machine stores what a run that was cut off has received"))
        }
        if !aside.isEmpty {
            let first = aside.prefix(3).joined(separator: ", ") + (aside.count > 3 ? " and more" : "")
            checks.append(
                Check(
                    name, .warning, "expected none set aside, found \(aside.count): \(first)",
                    hint: "renamed to end in .journal it is judged once more; else remove it"))
        }
        return checks.isEmpty ? [Check(name, .ok, "no run has left one")] : checks
    }
}
