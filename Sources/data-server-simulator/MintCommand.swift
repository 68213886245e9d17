import SimulatedDataServer
import System

/// `data-server-simulator mint`.
func mint(_ words: [String]) throws(SimulatorError) {
    let arguments = try Arguments(
        words,
        options: [
            "--directory", "--devices", "--keys-per-device", "--heavy-share", "--quiet-share", "--app-id",
            "--environment", "--seed", "--clock", "--suffix",
        ], flags: [])
    let directory = try absolutePath(arguments.required("--directory"))
    let environment = try arguments.required("--environment")
    guard let environment = SimulatedEnvironment(rawValue: environment) else {
        throw .usage("expected production or development for --environment, found \(environment)")
    }
    _ = try arguments.required("--devices")
    let plan = PopulationPlan(
        devices: try arguments.number("--devices", default: 1, within: 1...10_000_000),
        keysPerDevice: try arguments.number("--keys-per-device", default: 1, within: 1...1_000_000),
        heavyShare: try arguments.number("--heavy-share", default: 0, within: 0...1),
        quietShare: try arguments.number("--quiet-share", default: 0, within: 0...1),
        appID: try arguments.required("--app-id"), environment: environment,
        seed: try arguments.number("--seed", default: 1, within: 0...UInt64.max))
    var clock = try SimulatedClock(file: arguments.last("--clock"))
    var pki = try SimulatorFiles(directory: directory).pki()
    let minted = try pki.mint(plan, now: clock.now())
    let suffix = arguments.last("--suffix").map { "-\($0)" } ?? ""
    try minted.population.write("\(directory)/population\(suffix).jsonl")
    try minted.writeIntake("\(directory)/intake\(suffix).ndjson")
}
