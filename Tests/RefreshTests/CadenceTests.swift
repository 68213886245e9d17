import AppAttest
import Refresh
import Testing

@Suite("Cadences that fit together")
struct CadenceTests {
    private static func cadence(
        clear: Duration = .days(7), flagged: Duration = .days(1), quiet: Duration = .days(14),
        background: Duration = .days(14), firstReading: Duration = .hours(1)
    ) -> Cadence {
        Cadence(clear: clear, flagged: flagged, quiet: quiet, background: background, firstReading: firstReading)
    }

    @Test("The standard cadence has no problem")
    func standard() {
        #expect(Cadence.standard.problems.isEmpty)
    }

    @Test(
        "Each broken bound or relation is told with both values",
        arguments: [
            (cadence(clear: .hours(12), flagged: .hours(12)), "cadence.clear must be 1d to 30d, found 12h"),
            (cadence(flagged: .minutes(5)), "cadence.flagged must be 1h to 30d, found 5m"),
            (cadence(quiet: .days(31)), "cadence.quiet must be 1d to 30d, found 31d"),
            (cadence(background: .days(90)), "cadence.background must be 1d to 60d, found 90d"),
            (cadence(firstReading: .seconds(59)), "cadence.first_reading must be 1m to 1d, found 59s"),
            (cadence(firstReading: .zero), "cadence.first_reading must be 1m to 1d, found 0s"),
            (cadence(flagged: .days(8)), "cadence.flagged (8d) must not be longer than cadence.clear (7d)"),
            (cadence(clear: .days(21)), "cadence.clear (21d) must not be longer than cadence.background (14d)"),
        ])
    func problems(cadence: Cadence, text: String) {
        #expect(cadence.problems == [text])
    }
}
