import AppAttest
import Refresh
import Testing

/// Nouns for the tests of this target, with values that are easy to read in a failure.
enum Samples {
    /// 2026-11-02T12:00:00Z.
    static let noon = Instant(seconds: 1_793_620_800)
    static let team = "TEAMID1234"
    static let otherTeam = "OTHERTEAM1"

    static func app(ofTeam team: String = team) throws -> AppID {
        try #require(AppID("\(team).com.example.app"))
    }

    static func lane(_ environment: Environment = .production, ofTeam team: String = team) throws -> Lane {
        Lane(environment: environment, team: try #require(TeamID(team)))
    }

    /// 32 bytes that end in `number`, so that they sort as the numbers do.
    static func bytes(_ number: Int) -> [UInt8] {
        (0..<32).map { $0 < 24 ? 0 : UInt8(truncatingIfNeeded: number >> (8 * (31 - $0))) }
    }

    /// The number that `bytes` end in.
    static func number(_ bytes: [UInt8]) -> Int {
        bytes.suffix(8).reduce(0) { $0 << 8 | Int($1) }
    }

    /// A RECEIPT made 7 days before noon whose window is open until day 90, due at noon.
    static func due(
        _ number: Int = 1, team: String = team, environment: Environment = .production,
        app: AppID? = nil, attestedTime: Instant? = nil,
        schedule: ScheduleRow = ScheduleRow(shard: 0, rank: .routine, dueTime: noon)
    ) throws -> DueReceipt {
        let keyID = try #require(KeyIdentifier(bytes(number)))
        let digest = try #require(SHA256Digest(bytes(number)))
        return DueReceipt(
            keyID: keyID, appID: try app ?? Self.app(ofTeam: team), environment: environment, subject: .key(keyID),
            receipt: ReceiptBytes(bytes(number)), receiptDigest: digest, creationTime: noon - .days(7),
            notBefore: noon - .days(6), expirationTime: noon + .days(83), attestedCertificateDigest: digest,
            attestedTime: attestedTime, schedule: schedule)
    }

    /// A verified answer to `due`, made at noon.
    static func answer(to due: DueReceipt, riskMetric: Int? = 2) throws -> VerifiedReceipt {
        func time(_ instant: Instant) -> ReceiptTime { ReceiptTime(text: "", instant: instant) }
        return VerifiedReceipt(
            bytes: ReceiptBytes([0xa5] + due.receipt.bytes), digest: due.receiptDigest,
            payload: ReceiptPayload(
                appID: due.appID, attestedCertificate: [], clientHash: [], token: [], type: .receipt,
                environment: due.environment, creationTime: time(noon), riskMetric: riskMetric,
                notBefore: time(noon + .days(1)), expirationTime: time(noon + .days(90)), unknownFields: []),
            publicPoint: try #require(PublicPoint([4] + bytes(0) + bytes(1))), keyID: due.keyID,
            attestedCertificateDigest: due.attestedCertificateDigest, signerSerial: [])
    }

    static let fault = AnswerFault(kind: .notVerified, word: "signature_invalid", detail: "expected one, found none")
}
