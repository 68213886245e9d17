import AttestwatchCommand
import System

await runProcess(clock: SystemClock())
