import AttestwatchCommand
import FoundationEssentials
import OpenSSL
import System

// `attestwatch-bench [OPTION…]`: `attestwatch refresh` with these options in this process, on the system's clock, and
// then one line of JSON with what it took; `attestwatch-bench ingest FILE [OPTION…]` likewise. `ops/bench` sets the
// stage and reads both.

ignoreBrokenPipeSignal()
let context = CommandContext(environment: ProcessInfo.processInfo.environment, clock: SystemClock())
// As the program itself begins.
returnLargeBlocks()
let words = Array(CommandLine.arguments.dropFirst())
let commandLine = words.first == "ingest" ? words + ["--json"] : ["refresh", "--json"] + words
let unit = try VerificationUnit()
let before = unit.time(slices: 25)

let start = (cpu: processCPUMicroseconds(), time: monotonicMicroseconds())
let (code, samples) = await withTaskGroup(of: Samples.self) { group in
    group.addTask { await unit.sample() }
    let code = await run(commandLine, context)
    group.cancelAll()
    return (code, await group.next() ?? Samples())
}
let cpu = processCPUMicroseconds() - start.cpu - samples.microseconds
let time = monotonicMicroseconds() - start.time
let outside = before + unit.time(slices: 25)

let figures = """
    {"cpu_microseconds":\(cpu),"elapsed_microseconds":\(time),"p256_microseconds":\(samples.mean),\
    "p256_outside_microseconds":\(outside.mean),"peak_rss_bytes":\(try peakResidentBytes())}

    """
try FileDescriptor.standardOutput.write(Array(figures.utf8))
endProcess(code.rawValue)
