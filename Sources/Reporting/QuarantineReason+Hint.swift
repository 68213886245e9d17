import Refresh

extension QuarantineReason {
    /// What to do about it, for people; `meaning` says what happened.
    package var hint: String {
        switch self {
        case .environment:
            "are the data servers' URLs the right way round? if so, the key is on record under the wrong environment: "
                + "drop it, and have the back end hand in its receipt of the right one; nothing is sent to the other "
                + "data server"
        case .badRequest:
            "the receipt may be damaged: have the back end hand in the one that it kept, or drop the key"
        case .foreignTeam:
            "is the app another team's? set its team_id and signing_keys, then release"
        case .notVerified:
            "once the program, trust_anchors or blocked_signers are mended, recheck judges the answers again; release "
                + "asks anew"
        case .notNewer:
            "is there a cache, or somebody else, in between? then mend that, and release"
        case .otherKey:
            "is there something in between that mixes up answers? then mend that, and release"
        }
    }
}
