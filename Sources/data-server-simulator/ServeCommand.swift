import SimulatedDataServer
import System

/// `data-server-simulator serve`.
///
/// - Returns: the exit code.
func serve(_ words: [String]) throws(SimulatorError) -> Int32 {
    let arguments = try Arguments(
        words,
        options: [
            "--directory", "--population", "--clock", "--ledger", "--scenario", "--client-key", "--goaway-after",
        ], flags: ["--stay-while-stdin-open"])
    var options = ServedSimulator.Options(directory: try absolutePath(arguments.required("--directory")))
    options.populations = arguments.all("--population")
    options.clock = arguments.last("--clock")
    options.ledger = arguments.last("--ledger").map(absolutePath)
    options.scenario = arguments.last("--scenario")
    options.requestsPerConnection = try arguments.number("--goaway-after", default: 1_000_000, within: 1...1_000_000)
    options.staysWhileStandardInputOpen = arguments.has("--stay-while-stdin-open")
    for text in arguments.all("--client-key") {
        let parts = text.split(separator: ":", maxSplits: 2).map(String.init)
        guard parts.count == 3 else { throw .usage("expected KID:TEAM:PEMFILE for --client-key, found \(text)") }
        options.clientKeys.append(.init(id: parts[0], team: parts[1], file: absolutePath(parts[2])))
    }
    ignoreBrokenPipeSignal()
    let simulator = try ServedSimulator.start(options)
    do {
        try replaceFile("\(options.directory)/ready.json", simulator.readyLine, mode: 0o644)
        try FileDescriptor.standardOutput.write(simulator.readyLine)
    } catch { throw .system(error) }
    if try simulator.serve() { return 0 }
    throw .unusableFile(
        path: "\(options.directory)/nginx-error.log", expected: "nginx to run; it ended, and says why there")
}
