import Refresh

/// What to look at when a data server answered nothing of use, by the word of the last failure.
func hintForUnavailableServer(_ word: String) -> String {
    "nothing is lost, the receipts are due again later; " + question(word)
}

private func question(_ word: String) -> String {
    guard let failure = TransportFailure(rawValue: word) else {
        return switch word {
        case "server_failure", "refused_stream":
            "it has trouble of its own, unless the URL is not that of the data server"
        default:
            "is the URL that of the data server, with no login page or proxy that answers in its place?"
        }
    }
    return question(about: failure)
}

/// What to look at when no whole answer came.
func question(about failure: TransportFailure) -> String {
    switch failure {
    case .nameResolution: "its name has no address: is the URL right, and does this machine reach a name server?"
    case .connection: "is the network up, is the URL right, and has the process descriptors left (ulimit -n)?"
    case .tls:
        "its certificate does not verify, or TLS failed: is the URL right, does a proxy open the traffic, are the "
            + "certificates up to date that this machine or tls_ca_file trusts, and is the clock right?"
    case .timeout: "is the network up, and does a firewall let this machine through?"
    case .proxy: "is the proxy up that https_proxy names, and does it let this machine through?"
    case .cut: "does a proxy or a firewall end connections in the middle?"
    }
}
