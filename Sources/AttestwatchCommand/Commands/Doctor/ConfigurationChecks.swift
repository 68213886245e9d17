import AppAttest
import DataServer
import OpenSSL
import Reporting
import Verification

/// The configuration, and the files that it names.
enum ConfigurationChecks {
    /// A trust anchor that ends sooner than this is told of.
    private static let noticeBeforeEnd: Duration = .days(30)

    /// The file itself, what is odd in it, and what stands in the place of Apple's.
    static func settings(_ configuration: Configuration) -> [Check] {
        let concerns = configuration.concerns.map { Check("settings", .warning, $0.message, hint: $0.hint) }
        let replaced = configuration.replacements.map {
            Check("Apple's own", .warning, "replaced: \($0)", hint: "this is for a stand-in of Apple's server")
        }
        return [Check("configuration", .ok, configuration.file)]
            + (concerns.isEmpty ? [Check("settings", .ok, "they go well together")] : concerns)
            + (replaced.isEmpty ? [Check("Apple's own", .ok, "nothing is replaced")] : replaced)
    }

    /// Where the database's password comes from.
    static func databasePassword(_ environment: [String: String]) -> Check {
        let name = "database password"
        return Configuration.passwordConcern(environment).map { Check(name, .warning, $0.message, hint: $0.hint) }
            ?? Check(name, .ok, "none in the environment")
    }

    /// Each signing key, as far as a JWT.
    static func signingKeys(
        _ configuration: Configuration, environment: [String: String], now: Instant
    ) -> [Check] {
        let files = PrivateFile(environment)
        var known = KnownSigningKeys()
        var checks: [Check] = []
        for app in configuration.apps {
            for settings in app.signingKeys {
                let name = "signing key \(settings.id) of \(app.teamID)"
                do throws(ConfigurationError) {
                    let key = try files.signingKey(settings)
                    let other = try known.add(key, team: app.teamID, settings)
                    checks.append(signing(key, settings, team: app.teamID, sameAs: other, now: now, name: name))
                } catch {
                    checks.append(Check(name, .configuration(error)))
                }
            }
        }
        return checks
    }

    private static func signing(
        _ key: SigningKey, _ settings: SigningKeySettings, team: TeamID, sameAs other: String?, now: Instant,
        name: String
    ) -> Check {
        do throws(OpenSSLError) {
            _ = try AuthorizationJWT(team: team, key: key, now: now)
        } catch {
            return Check(name, .dataServerSetup(.cannotSign(keyID: key.id, error)))
        }
        if let other {
            return Check(
                name, .warning,
                "expected each key under one identifier, found \(settings.source) to be that of \(other)",
                hint: "Apple knows a key by one identifier; the file's name, AuthKey_….p8, carries it")
        }
        if let named = settings.source.description.firstMatch(of: /AuthKey_([A-Z0-9]{10})\.p8$/)?.1,
            named != settings.id
        {
            return Check(
                name, .warning, "expected the file AuthKey_\(settings.id).p8, found \(settings.source)",
                hint: "the name that Apple gives the file carries the key's identifier: is it this key's?")
        }
        return switch settings.source {
        case .file(let path): Check(name, .ok, "\(path), read by its owner alone, P-256, signs")
        case .credential: Check(name, .ok, "\(settings.source), handed over by systemd, P-256, signs")
        }
    }

    /// The roots in force with the end of their validity, and the authorities of the data servers' TLS.
    static func trustAnchors(_ configuration: Configuration, now: Instant) -> [Check] {
        let settings = configuration.trustAnchors
        var checks = anchors("trust anchor of receipts", now: now) { () throws(CommandFailure) in
            if let file = settings.receipts { try replacedAnchors(file) } else { try appleAnchors() }
        }
        if let file = settings.attestations {
            checks += anchors("trust anchor of attestations", now: now) { () throws(CommandFailure) in
                try replacedAnchors(file)
            }
        }
        for environment in configuration.environmentsInUse {
            guard let file = configuration.dataServers[environment]?.tlsCAFile else { continue }
            checks += anchors("TLS authority for \(environment)", now: now) { () throws(CommandFailure) in
                try replacedAnchors(file)
            }
        }
        return checks
    }

    private static func anchors(
        _ name: String, now: Instant, _ read: () throws(CommandFailure) -> TrustAnchors
    ) -> [Check] {
        let anchors: TrustAnchors
        do throws(CommandFailure) { anchors = try read() } catch { return [Check(name, error)] }
        return anchors.certificates.map { certificate in
            guard let facts = certificate.facts else {
                return Check(name, .failed(.inputUnreadable), "expected names and dates, found none that can be read")
            }
            return validity(name, facts, now: now)
        }
    }

    private static func validity(_ name: String, _ facts: CertificateFacts, now: Instant) -> Check {
        let end = Instant(seconds: facts.notAfter)
        guard facts.isValid(at: now.seconds) else {
            return Check(
                name, .failed(.credentialRefused),
                "expected a certificate that is valid now, found \(facts.subject), valid from "
                    + "\(Instant(seconds: facts.notBefore).secondsText) to \(end.secondsText)",
                hint: "nothing that it vouches for verifies; is this machine's clock right?")
        }
        guard end - now >= noticeBeforeEnd else {
            return Check(
                name, .warning, "\(facts.subject) ends at \(end.secondsText), in \(durationWords(end - now))",
                hint: "what is signed under it afterwards does not verify")
        }
        return Check(name, .ok, "\(facts.subject), valid to \(end.secondsText)")
    }
}
