import AttestwatchCommand
import System

silenceDispatch()
await runProcess(clock: SystemClock())
