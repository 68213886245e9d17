import Refresh
import Reporting

extension StopCause {
    /// What is said of a lane that stopped because nothing showed it good, and what to do; nil for clocks, of which
    /// more is said elsewhere.
    var refusal: (message: String, hint: String)? {
        switch self {
        case .credentialRefused:
            (
                "the data server refused the credential, to every receipt that was tried",
                "is the key of this team, with the DeviceCheck service, not revoked, and a day or two old? "
                    + "is team_id the team that the key belongs to?"
            )
        case .requestsRefused:
            (
                "the data server refused the requests (400), whichever receipt was tried",
                "is the URL right? are content_type and authorization what the data server wants?"
            )
        case .environmentRefused:
            (
                "the data server says of every receipt that was tried that it belongs to the other environment (400)",
                "are the data servers' URLs the right way round? if so, these rows are marked with the wrong "
                    + "environment; nothing was sent to the other data server"
            )
        case .answersDoubted(let word):
            (
                "the data server's answers do not verify (\(printable(word))), whichever receipt was tried",
                "does a proxy change them? is this machine's clock right? has Apple changed its signers? they are "
                    + "kept: once it is mended, 'attestwatch quarantine recheck --all' stores those that verify"
            )
        case .nothingFound:
            (
                "the data server answered 404 to every receipt that was tried, though their keys were attested lately",
                "is the URL right? nothing but 404 was ever answered there"
            )
        case .clocksApart: nil
        }
    }
}
