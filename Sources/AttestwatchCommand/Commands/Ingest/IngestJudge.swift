import AppAttest
import ReceiptStore
import Verification

/// Decides which lines are taken in: the app is configured, the environment accepted, and the receipt verified as of
/// its creation time, for the key and app that the line names.
struct IngestJudge: Sendable {
    private let environments: [AppID: Set<Environment>]
    private let verifier: ReceiptVerifier
    private let clock: any WallClock

    /// How far ahead of ours a back end's clock may be.
    private static let clockTolerance: Duration = .days(1)

    /// A judge for the apps of a configuration.
    init(apps: [AppSettings], verifier: ReceiptVerifier, clock: any WallClock) {
        var environments: [AppID: Set<Environment>] = [:]
        for app in apps { environments[app.appID] = Set(app.environments.keys) }
        self.environments = environments
        self.verifier = verifier
        self.clock = clock
    }

    /// The verified intake of a line.
    ///
    /// - Parameter isAnyEnvironment: accepts a receipt whichever its environment is, where the line names none.
    func judge(_ line: IngestLine, isAnyEnvironment: Bool = false) throws(IngestRejection) -> VerifiedIntake {
        guard var accepted = environments[line.appID] else { throw .appNotConfigured(line.appID) }
        if let environment = line.environment {
            guard accepted.contains(environment) else { throw .environmentNotAccepted(environment, line.appID) }
            accepted = [environment]
        } else if isAnyEnvironment {
            accepted = Set(Environment.allCases)
        }
        let now = clock.now()
        // A key from the future would be its device's newest for ever.
        if let time = line.attestedTime, time > now + Self.clockTolerance {
            throw .attestedInFuture(time, now: now)
        }
        do throws(VerificationFailure) {
            let receipt = try verifier.verifyStored(
                line.receipt,
                expecting: ExpectedReceipt(appID: line.appID, keyID: line.keyID, environments: accepted))
            return VerifiedIntake(
                receipt: receipt, deviceRef: line.deviceRef, userRef: line.userRef, attestedTime: line.attestedTime)
        } catch {
            throw .notVerified(error)
        }
    }
}
