import AppAttest

/// The calls to come to one data server, counted by letting representatives of a fleet's groups walk through the time
/// to come. Keys that are yet to be attested are not in it.
package struct Forecast: Hashable, Sendable {
    /// Calls of each kind over all days.
    package private(set) var calls: [CallKind: Double] = [:]
    /// Calls of each day.
    package private(set) var days: [Double]
    /// Calls of each of the first hours that are not planned yet, but follow from those that are.
    package private(set) var followingHours: [Double]

    /// How many walks the keys of a fleet are represented by, besides the fewest of each group.
    private static let walks = 20_000
    private static let fewestWalks = 8

    /// Looks ahead from `now`.
    ///
    /// - Parameters:
    ///   - groups: the groups of one data server's keys.
    ///   - cadences: those of the apps; an app that is not configured is not sent.
    ///   - hours: how many hours to count by themselves.
    package init(
        of groups: [KeyGroup], cadences: [AppID: Cadence], now: Instant, days: Int, hours: Int,
        using random: inout some RandomNumberGenerator
    ) {
        self.days = [Double](repeating: 0, count: max(1, days))
        followingHours = [Double](repeating: 0, count: hours)
        let keys = groups.reduce(0) { $0 + $1.count }
        let flaggedShares = Self.flaggedShares(groups)
        let datings = Self.datings(groups)
        var flagged: [AppID: Int] = [:]
        for group in groups where group.isFlagged && group.isReader { flagged[group.appID, default: 0] += group.count }
        for group in groups {
            guard let setting = cadences[group.appID], group.count > 0 else { continue }
            let cadence = setting.stretched(forFlagged: flagged[group.appID] ?? 0)
            let walks = min(group.count, max(Self.fewestWalks, Self.walks * group.count / max(1, keys)))
            let weight = Double(group.count) / Double(walks)
            for _ in 0..<walks {
                let walk = ForecastWalk(
                    drawnFrom: group, planner: SchedulePlanner(cadence: cadence),
                    dating: datings[group.appID] ?? .seen, flaggedShare: flaggedShares[group.appID] ?? 0,
                    using: &random)
                add(walk, weight: weight, now: now, using: &random)
            }
        }
    }

    /// Calls a day, on average over all days.
    package var callsADay: Double { calls.values.reduce(0, +) / Double(days.count) }

    private mutating func add(
        _ walk: ForecastWalk, weight: Double, now: Instant, using random: inout some RandomNumberGenerator
    ) {
        var walk = walk
        var isPlanned = true
        while let call = walk.next(from: now, before: now + .days(days.count), using: &random) {
            calls[call.kind, default: 0] += weight
            let seconds = Int((call.time - now).components.seconds)
            days[seconds / 86_400] += weight
            if !isPlanned, seconds / 3_600 < followingHours.count { followingHours[seconds / 3_600] += weight }
            isPlanned = false
        }
    }

    /// How receipts of each app are dated: as those that it has got are, on average.
    private static func datings(_ groups: [KeyGroup]) -> [AppID: ForecastWalk.Dating] {
        var sums: [AppID: (count: Int64, opening: Int64, lifetime: Int64)] = [:]
        for group in groups where group.type == .receipt {
            var sum = sums[group.appID] ?? (0, 0, 0)
            let count = Int64(group.count)
            sum.count += count
            sum.opening += count * group.opening.components.seconds
            sum.lifetime += count * group.lifetime.components.seconds
            sums[group.appID] = sum
        }
        return sums.mapValues {
            ForecastWalk.Dating(
                opening: .seconds($0.opening / max(1, $0.count)), lifetime: .seconds($0.lifetime / max(1, $0.count)))
        }
    }

    /// Which part of each app's subjects is flagged, among those that have been read.
    private static func flaggedShares(_ groups: [KeyGroup]) -> [AppID: Double] {
        var read: [AppID: (all: Int, flagged: Int)] = [:]
        for group in groups where group.isReader && group.hasMetric {
            read[group.appID, default: (0, 0)].all += group.count
            if group.isFlagged { read[group.appID, default: (0, 0)].flagged += group.count }
        }
        return read.mapValues { Double($0.flagged) / Double(max(1, $0.all)) }
    }
}
