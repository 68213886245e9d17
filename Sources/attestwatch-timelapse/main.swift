import AttestwatchCommand
import FoundationEssentials
import System

silenceDispatch()
if let file = ProcessInfo.processInfo.environment["ATTESTWATCH_TIMELAPSE_CLOCK"] {
    await runProcess(clock: TimelapseClock(file: file))
}
print("attestwatch-timelapse: expected the clock's file in ATTESTWATCH_TIMELAPSE_CLOCK, found none")
endProcess(78)
