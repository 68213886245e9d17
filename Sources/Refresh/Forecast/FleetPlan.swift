import AppAttest

/// What a fleet needs of its data servers in the days to come, and whether it gets that at the pace set.
package struct FleetPlan: Sendable {
    /// From when it looks ahead.
    package let time: Instant
    /// How far.
    package let days: Int
    /// Keys by state.
    package let states: [ReceiptState: Int]
    /// One for each data server that has anything to do, production first.
    package let servers: [ServerPlan]

    /// How many hours are looked through for the busiest one.
    package static let hours = 7 * 24

    /// Makes the plan of a survey.
    ///
    /// - Parameters:
    ///   - cadences: those of the configured apps.
    ///   - budgets: requests a second of each data server.
    package init(
        _ survey: FleetSurvey, cadences: [AppID: Cadence], budgets: [Environment: Double], now: Instant, days: Int,
        using random: inout some RandomNumberGenerator
    ) {
        time = now
        self.days = days
        states = survey.states
        var servers: [ServerPlan] = []
        for environment in Environment.allCases {
            let groups = survey.groups.filter { $0.environment == environment }
            guard !groups.isEmpty, let queue = survey.queues[environment], let budget = budgets[environment] else {
                continue
            }
            let forecast = Forecast(
                of: groups, cadences: cadences, now: now, days: days, hours: Self.hours, using: &random)
            servers.append(
                ServerPlan(
                    environment: environment, keys: groups.reduce(0) { $0 + $1.count }, queue: queue,
                    forecast: forecast, requestsPerSecond: budget, now: now))
        }
        self.servers = servers
    }

    /// Whether every data server is asked no more than its budget, and no receipt is lost for want of it.
    package var fits: Bool { servers.allSatisfy { $0.lost == 0 && $0.isWithinBudget } }

    /// Calls a day of all data servers, on average.
    package var callsADay: Double { servers.reduce(0) { $0 + $1.callsADay } }
}

/// The part of a plan that one data server has.
package struct ServerPlan: Sendable {
    /// Whose.
    package let environment: Environment
    /// Keys that are sent to it.
    package let keys: Int
    /// What is due already.
    package let queue: QueueSurvey
    /// The calls to come.
    package let forecast: Forecast
    /// The pace set.
    package let requestsPerSecond: Double
    /// The hour of the next seven days in which most comes due.
    package let busiestHour: Peak
    /// The busiest day; what is due already counts to the first one.
    package let busiestDay: Peak

    init(
        environment: Environment, keys: Int, queue: QueueSurvey, forecast: Forecast, requestsPerSecond: Double,
        now: Instant
    ) {
        self.environment = environment
        self.keys = keys
        self.queue = queue
        self.forecast = forecast
        self.requestsPerSecond = requestsPerSecond
        let hours = forecast.followingHours.enumerated().map { hour, following in
            following + Double(hour < queue.hours.count ? queue.hours[hour] : 0)
        }
        busiestHour = Peak(of: hours, each: .hours(1), from: now)
        busiestDay = Peak(of: forecast.days, each: .days(1), from: now)
    }

    /// Calls a day, on average.
    package var callsADay: Double { forecast.callsADay }
    /// Calls a day of one kind, on average.
    package func callsADay(_ kind: CallKind) -> Double {
        (forecast.calls[kind] ?? 0) / Double(forecast.days.count)
    }
    /// Calls a day that the pace allows.
    package var budgetADay: Double { requestsPerSecond * 86_400 }
    /// The part of the budget that is needed, 1 being all of it.
    package var budgetUsed: Double { callsADay / budgetADay }
    /// Whether the budget is enough.
    package var isWithinBudget: Bool { callsADay <= budgetADay }
    /// How long the pace takes for what is due already.
    package var drainTime: Duration { .seconds(Double(queue.allDue) / requestsPerSecond) }
    /// Receipts due that expire before their turn.
    package var lost: Int { queue.backlog.values.reduce(0) { $0 + $1.lost } }
}

/// The busiest stretch of a plan.
package struct Peak: Hashable, Sendable {
    /// When it begins.
    package let start: Instant
    /// Calls that come due in it.
    package let calls: Double

    /// The largest of these calls, the first being those of the stretch that begins at `start`.
    init(of calls: [Double], each length: Duration, from start: Instant) {
        let place = calls.indices.max { calls[$0] < calls[$1] }
        self.start = start + length * (place ?? 0)
        self.calls = place.map { calls[$0] } ?? 0
    }
}
