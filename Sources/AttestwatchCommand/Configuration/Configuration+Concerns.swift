import AppAttest
import HTTP
import Refresh

extension Configuration {
    /// Settings that work and are odd beside one another, each with both values. What cannot work is refused when the
    /// file is read.
    package var concerns: [RunNotice] {
        apps.enumerated().flatMap { $1.cadence.concerns("apps[\($0)].cadence") }
            + environmentsInUse.compactMap { environment in
                dataServers[environment]?.concern("data_servers.\(environment)")
            } + leaseConcerns
    }

    // An answer that comes when the lease has ended may still be stored, and its receipt is sent once more by others.
    private var leaseConcerns: [RunNotice] {
        let limit = HTTPSettings.standardTotal
        guard lease.length < limit else { return [] }
        return [
            RunNotice(
                weight: .warning,
                message: "lease is \"\(DurationText.format(lease.length))\", and an answer may take "
                    + "\"\(DurationText.format(limit))\" to come",
                hint: "where the lease is not shorter, no receipt is sent twice because of a slow answer")
        ]
    }
}

extension Cadence {
    /// What is odd among them.
    fileprivate func concerns(_ path: String) -> [RunNotice] {
        var concerns: [RunNotice] = []
        func add(_ message: String, hint: String) {
            concerns.append(RunNotice(weight: .warning, message: message, hint: hint))
        }
        for (name, length) in [("quiet", quiet), ("background", background)] where length < clear {
            add(
                "\(path).\(name) is \(shown(length)), shorter than \(path).clear, which is \(shown(clear))",
                hint: "calls are spent on keys that say less than those of devices without a flag")
        }
        for (name, length) in [("quiet", quiet), ("background", background)] where length > Self.freshLength {
            add(
                "\(path).\(name) is \(shown(length)), longer than the \(shown(Self.freshLength)) that a metric "
                    + "speaks of",
                hint: "what is attested and past within that time is never seen; the default is \"14d\"")
        }
        return concerns
    }

    private func shown(_ length: Duration) -> String { "\"\(DurationText.format(length))\"" }
}

extension DataServerSettings {
    /// An answer takes a tenth of a second where all goes well: fewer at once than that would slow every run down.
    fileprivate func concern(_ path: String) -> RunNotice? {
        let reachable = Double(inFlight) * 10
        guard reachable < requestsPerSecond else { return nil }
        return RunNotice(
            weight: .warning,
            message: "\(path).in_flight is \(inFlight), which at 100 ms an answer gives \(Int(reachable)) requests a "
                + "second, and \(path).requests_per_second is \(Int(requestsPerSecond))",
            hint: "the pace will not be reached: raise in_flight, or lower requests_per_second")
    }
}
