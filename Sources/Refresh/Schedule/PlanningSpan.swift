import AppAttest

/// The part of a window that may be planned into at a given time.
struct PlanningSpan: Hashable, Sendable {
    /// Now, or not-before plus the margin where that is later.
    let earliest: Instant
    /// The start of the window's last tenth.
    let latest: Instant

    /// What of `window` is left at `now`.
    init(window: RefreshWindow, now: Instant) {
        self.earliest = max(now, window.opens + min(SchedulePlanner.margin, window.length / 10))
        self.latest = window.lastTenth
    }

    /// Whether any of it is left.
    var isOpen: Bool { earliest < latest }

    /// An instant drawn evenly from what of `wish` lies in this span.
    func draw(
        _ wish: ClosedRange<Instant>, atLeast width: Duration, using random: inout some RandomNumberGenerator
    ) -> Instant {
        let range = range(for: wish, atLeast: width)
        return Spreading.instant(from: range.lowerBound, to: range.upperBound, using: &random)
    }

    /// What of `wish` lies in this span; its beginning alone where nothing of it is left.
    ///
    /// Where the wish lies outside, or is cut short, it is widened to `width` as far as the span allows, so that keys
    /// pulled to the same edge do not meet in one instant.
    func range(for wish: ClosedRange<Instant>, atLeast width: Duration) -> ClosedRange<Instant> {
        guard isOpen else { return earliest...earliest }
        let lower = min(max(wish.lowerBound, earliest), latest)
        let upper = min(max(wish.upperBound, lower + width), latest)
        return max(min(lower, upper - width), earliest)...upper
    }
}
