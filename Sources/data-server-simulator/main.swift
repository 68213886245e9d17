import FoundationEssentials
import SimulatedDataServer
import System

/// The path from the root, so that nginx, whose prefix is another folder, finds it too.
func absolutePath(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
}

/// Writes an error the way all commands of the project do.
func complain(_ problem: String, hint: String? = nil) {
    let text = "data-server-simulator: error: \(problem)\n" + (hint.map { "hint: \($0)\n" } ?? "")
    // Nothing is left to be done where even this cannot be written.
    try? FileDescriptor.standardError.write(Array(text.utf8))
}

let words = Array(CommandLine.arguments.dropFirst())
if words.isEmpty || words.contains("--help") || words.contains("-h") {
    try? FileDescriptor.standardOutput.write(Array("\(help)\n".utf8))
    endProcess(words.isEmpty ? 64 : 0)
}
do throws(SimulatorError) {
    switch words[0] {
    case "mint": try mint(Array(words.dropFirst()))
    case "serve": endProcess(try serve(Array(words.dropFirst())))
    default: throw .usage("expected mint or serve, found \(words[0])")
    }
} catch {
    switch error {
    case .usage(let problem):
        complain(problem, hint: "data-server-simulator --help lists every option")
        endProcess(64)
    case .unusableFile, .unusableLine:
        complain("\(error)")
        endProcess(66)
    case .system(let failure) where failure.call == "open":
        complain("\(error)")
        endProcess(66)
    case .system, .cryptography, .serverDidNotStart:
        complain("\(error)")
        endProcess(1)
    }
}
