import AppAttest
import Refresh
import Risk
import Synchronization

/// The rules that the store's transactions apply: thresholds and cadences of each app, and the draws of due times.
package final class StoreRules: Sendable {
    private let policies: [AppEnvironment: RiskPolicy]
    private let cadences: [AppID: Cadence]
    private let retention: Retention
    private let random: Mutex<any RandomNumberGenerator & Sendable>

    /// An app that is not named gets the standard policy and cadence.
    package init(
        policies: [AppEnvironment: RiskPolicy] = [:], cadences: [AppID: Cadence] = [:],
        retention: Retention = .standard, random: any RandomNumberGenerator & Sendable
    ) {
        self.policies = policies
        self.cadences = cadences
        self.retention = retention
        self.random = Mutex(random)
    }

    /// The thresholds of an app in an environment.
    func policy(for app: AppEnvironment) -> RiskPolicy {
        policies[app] ?? .standard
    }

    /// Readings of receipts created before this are not kept.
    func oldestReading(at now: Instant) -> Instant { now - retention.readings }

    /// How often receipts of an app are read.
    func cadence(of app: AppID) -> Cadence { cadences[app] ?? .standard }

    /// Draws when a receipt of this app is due, of whose subjects so many are flagged.
    func plan(
        _ receipt: ReceiptDates, of app: AppID, standing: Standing, flaggedSubjects: Int = 0, now: Instant
    ) -> Plan {
        let planner = SchedulePlanner(cadence: cadence(of: app).stretched(forFlagged: flaggedSubjects))
        return random.withLock { random in
            planner.plan(receipt, standing: standing, now: now, using: &random)
        }
    }

    /// Draws when the first receipt of a key of this app is due that is one of a back-fill, spread over a time.
    func planSpread(
        _ receipt: ReceiptDates, of app: AppID, standing: Standing, over spread: Duration, now: Instant
    ) -> Plan {
        let planner = SchedulePlanner(cadence: cadence(of: app))
        return random.withLock { random in
            planner.planSpread(receipt, standing: standing, over: spread, now: now, using: &random)
        }
    }

    /// Draws when a receipt of this app is due that a person has released.
    func planReleased(_ receipt: ReceiptDates, of app: AppID, standing: Standing, now: Instant) -> Plan {
        let planner = SchedulePlanner(cadence: cadences[app] ?? .standard)
        return random.withLock { random in
            planner.planReleased(receipt, standing: standing, now: now, using: &random)
        }
    }
}
