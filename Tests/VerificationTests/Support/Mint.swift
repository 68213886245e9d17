import AppAttest
import SimulatedDataServer
import Testing
import Verification

/// A small world of its own: authorities, one device, and a verifier that trusts the receipt root.
struct Mint {
    let pki: SimulatedPKI
    let device: MintedKey
    let signer: ReceiptSigner
    let anchors: TrustAnchors

    static let appID = "ABCDE12345.com.example.app"
    /// The creation time of receipts unless a test says otherwise: 2026-09-21T14:13:20Z.
    static let time = SimulatedTime(seconds: 1_790_000_000)
    /// The same as this project counts.
    static let instant = Instant(seconds: 1_790_000_000)
    /// How long the signer lives.
    static let signerEnd = time.adding(days: 30)

    init() throws {
        let pki = try SimulatedPKI()
        device = try pki.attestKey(appID: Self.appID, at: Self.time.adding(days: -3))
        signer = try pki.makeSigner(notBefore: Self.time.adding(days: -300), notAfter: Self.signerEnd)
        anchors = try TrustAnchors(pem: Self.pem(pki.receiptRoot.certificate))
        self.pki = pki
    }

    /// A certificate as a PEM file's content.
    static func pem(_ certificate: [UInt8]) -> [UInt8] {
        Array(PEM.encode("CERTIFICATE", certificate).utf8)
    }

    var verifier: ReceiptVerifier { ReceiptVerifier(trusting: anchors) }

    /// The device's payload.
    func content(
        kind: ReceiptContent.Kind = .receipt(riskMetric: 2), at time: SimulatedTime = Mint.time
    ) -> ReceiptContent {
        ReceiptContent(
            appID: Self.appID, certificate: device.certificate, clientHash: device.clientHash, token: device.token,
            environment: .production, creationTime: time, kind: kind)
    }

    /// A signed receipt of the device.
    func receipt(
        kind: ReceiptContent.Kind = .receipt(riskMetric: 2), at time: SimulatedTime = Mint.time,
        by other: ReceiptSigner? = nil
    ) throws -> ReceiptBytes {
        ReceiptBytes(try (other ?? signer).envelope(content(kind: kind, at: time).encoded))
    }

    /// What a stored receipt of the device has to agree with.
    func expected() throws -> ExpectedReceipt {
        ExpectedReceipt(
            appID: try #require(AppID(Self.appID)), keyID: try #require(KeyIdentifier(device.keyID)),
            environments: [.production])
    }

    /// A receipt of the device as the store knows it, created a day before `Mint.time`.
    func replaced(created: Instant = Mint.instant - .days(1)) throws -> ReplacedReceipt {
        ReplacedReceipt(
            appID: try #require(AppID(Self.appID)), keyID: try #require(KeyIdentifier(device.keyID)),
            environment: .production, creationTime: created,
            attestedCertificateDigest: SHA256Digest(hashing: device.certificate))
    }
}
