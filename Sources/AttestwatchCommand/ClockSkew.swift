import AppAttest
import Refresh
import Reporting

/// How far this machine's clock is from another one, and how much that matters.
struct ClockSkew {
    /// From more than this on, the difference is told of: a data server's `Date` is in whole seconds.
    private static let told: Duration = .seconds(2)
    /// From more than this on, somebody has to set the clock.
    private static let gravest = AlertJudgement.gravestSkew
    /// What to do about it.
    static let hint = "set this machine's clock; is its time service running?"

    private let difference: Duration
    private var distance: Duration { max(difference, .zero - difference) }

    /// Of a difference that is positive where the other clock is ahead.
    init(_ difference: Duration) {
        self.difference = difference
    }

    /// Whether it is worth a word.
    var isTold: Bool { distance > Self.told }
    /// Whether somebody has to do something.
    var isGrave: Bool { distance > Self.gravest }

    /// What was expected and found, the other clock being that `of` something.
    func words(of other: String) -> String {
        let side = difference < .zero ? "ahead of" : "behind"
        return "this machine's clock is \(distanceWords) \(side) that of \(other), expected at most "
            + durationWords(Self.told)
    }

    /// The distance, to a tenth of a second where it is small.
    var distanceWords: String {
        guard distance < .seconds(10) else { return durationWords(distance) }
        let tenths = distance.wholeMicroseconds / 100_000
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
