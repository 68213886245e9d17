/// One thing that goes wrong, and for which requests.
struct Fault: Decodable, Sendable, KnownKeys {
    /// Which requests; absent: all.
    let match: Strict<Match>?
    /// How often in all; absent: always.
    let times: Int?
    /// How often for each key; absent: always.
    let timesAKey: Int?
    /// Answers this at once, whatever the request, but for bodies about receipts, which stand in place of a 200 alone.
    /// Absent: the answer is worked out as usual.
    let status: UInt32?
    /// Holds the answer back so many milliseconds.
    let delayMilliseconds: Int64?
    /// A `Retry-After` header.
    let retryAfter: String?
    /// A `Location` header.
    let location: String?
    /// Moves the `Date` header, in seconds.
    let dateOffsetSeconds: Int64?
    /// What stands in place of the body.
    let body: Body?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case match, times
        case timesAKey = "times_a_key"
        case status
        case delayMilliseconds = "delay_ms"
        case retryAfter = "retry_after"
        case location
        case dateOffsetSeconds = "date_offset_s"
        case body
    }

    /// Which requests a fault is for: those that fit every part that is there.
    struct Match: Decodable, Sendable, KnownKeys {
        /// Keys, base64.
        let keyIDs: Set<String>?
        /// Devices.
        let deviceRefs: Set<String>?
        /// From this request on; the first is 1.
        let firstRequest: Int?
        /// Up to this request.
        let lastRequest: Int?
        /// This part of all keys, 0 to 1, always the same ones.
        let share: Double?
        /// Requests to one of the two servers.
        let environment: SimulatedEnvironment?
        /// From so many days after minting.
        let fromDay: Double?
        /// Until so many days after minting.
        let toDay: Double?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case keyIDs = "key_ids"
            case deviceRefs = "device_refs"
            case firstRequest = "first_request"
            case lastRequest = "last_request"
            case share, environment
            case fromDay = "from_day"
            case toDay = "to_day"
        }
    }

    /// Bodies. Those about receipts replace the receipt of a 200 and leave other answers alone.
    enum Body: String, Decodable, Sendable, CaseIterable {
        /// Nothing.
        case empty
        /// A login page.
        case html
        /// An error object.
        case json
        /// The words "Incorrect Environment", which go with 400.
        case incorrectEnvironment = "incorrect_environment"
        /// Octets that are no text.
        case garbage
        /// 128 KiB of `A`, over any sane limit.
        case oversized
        /// The receipt with a line feed behind it: still good.
        case newline
        /// The receipt in lines of 76 characters with CRLF: still good.
        case wrapped
        /// The receipt, raw instead of base64.
        case raw
        /// The first half of the base64.
        case half
        /// The whole base64 announced, half of it sent, then the stream is broken off.
        case cut
        /// The first octets of a gzip stream, with its `Content-Encoding`.
        case gzip
        /// A signature with one bit turned.
        case damagedSignature = "damaged_signature"
        /// The metric made 1 after signing.
        case changedMetric = "changed_metric"
        /// No metric.
        case noMetric = "no_metric"
        /// Signed by a certificate that ends ten days after it signed first: still good.
        case endingSigner = "ending_signer"
        /// Signed by a certificate without the marker.
        case unmarkedSigner = "unmarked_signer"
        /// Signed under authorities that nobody trusts.
        case foreignRoot = "foreign_root"
        /// Created ten minutes ago.
        case stale
        /// Created an hour from now.
        case future
        /// Created an hour before the receipt that was sent.
        case older
        /// The very receipt that was sent.
        case echo
        /// A good receipt of another key.
        case otherKey = "other_key"
        /// A good receipt of another app.
        case otherApp = "other_app"
        /// A good receipt that names the other environment.
        case otherEnvironment = "other_environment"
    }
}

/// What a fault is matched against.
struct RequestFacts {
    /// The request's number, from 1.
    let number: Int
    /// Which server was asked.
    let environment: SimulatedEnvironment
    /// Days since minting.
    let day: Double
    /// The key and the device whose receipt was sent; nil when the body is not one we handed out.
    let known: (keyID: [UInt8], keyText: String, deviceRef: String)?
}

/// The faults of a scenario and how often each has played.
struct FaultPlayer {
    private let faults: [Fault]
    private var played: [Int: Int] = [:]
    private var playedForKey: [String: Int] = [:]

    /// Plays these, the first match first.
    init(_ faults: [Fault]) { self.faults = faults }

    /// The fault that plays for this request, which is counted; nil for none.
    mutating func next(for facts: RequestFacts) -> Fault? {
        for (index, fault) in faults.enumerated() {
            if let match = fault.match?.value, !match.fits(facts) { continue }
            if let times = fault.times, played[index, default: 0] >= times { continue }
            let perKey = "\(index) \(facts.known?.keyText ?? "")"
            if let times = fault.timesAKey {
                if playedForKey[perKey, default: 0] >= times { continue }
                playedForKey[perKey, default: 0] += 1
            }
            played[index, default: 0] += 1
            return fault
        }
        return nil
    }
}

extension Fault.Match {
    /// Whether every part that is there fits.
    func fits(_ facts: RequestFacts) -> Bool {
        if let firstRequest, facts.number < firstRequest { return false }
        if let lastRequest, facts.number > lastRequest { return false }
        if let environment, facts.environment != environment { return false }
        if let fromDay, facts.day < fromDay { return false }
        if let toDay, facts.day >= toDay { return false }
        if keyIDs == nil && deviceRefs == nil && share == nil { return true }
        guard let known = facts.known else { return false }
        if let keyIDs, !keyIDs.contains(known.keyText) { return false }
        if let deviceRefs, !deviceRefs.contains(known.deviceRef) { return false }
        // Key identifiers are hashes: their first two octets are a fair draw that stays the same.
        if let share, Double(Int(known.keyID[0]) << 8 | Int(known.keyID[1])) >= share * 65_536 { return false }
        return true
    }
}
