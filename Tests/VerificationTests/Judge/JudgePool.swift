import AppAttest
import OpenSSL
import SimulatedDataServer
import TestSupport
import Testing
import Verification

/// What cases are made from: genuine receipts where there are any, minted ones, and signers of every kind.
struct JudgePool: Sendable {
    /// A receipt that both verifiers accept, and what it says.
    struct Template: Sendable {
        let bytes: [UInt8]
        let payload: ReceiptPayload
        let keyID: KeyIdentifier
        let isGenuine: Bool
    }

    /// A key with receipts of its own, for minting.
    struct Device: Sendable {
        let key: MintedKey
        let appID: String
        let environment: SimulatedEnvironment
    }

    let genuine: [Template]
    /// Genuine receipts that nobody may accept.
    let genuineRefused: [Template]
    let minted: [Template]
    let devices: [Device]
    /// Signers that may sign receipts.
    let signers: [ReceiptSigner]
    let unmarkedSigner: ReceiptSigner
    let blockedSigner: ReceiptSigner
    /// Its certificate has ended before any receipt here was created.
    let expiredSigner: ReceiptSigner
    /// Its certificate may not sign.
    let agreementSigner: ReceiptSigner
    /// Beneath a root of the same name that nobody trusts.
    let foreignSigner: ReceiptSigner
    let anchors: TrustAnchors
    let blocked: Set<SerialNumber>

    /// When minted receipts were created, give or take.
    static let era = SimulatedTime(seconds: 1_790_000_000)

    init() throws {
        let pki = try SimulatedPKI()
        let foreign = try SimulatedPKI()
        let begin = Self.era.adding(days: -100)
        let end = Self.era.adding(days: 100)
        signers = try (0..<3).map { _ in try pki.makeSigner(notBefore: begin, notAfter: end) }
        unmarkedSigner = try pki.makeSigner(notBefore: begin, notAfter: end, marked: false)
        blockedSigner = try pki.makeSigner(notBefore: begin, notAfter: end)
        expiredSigner = try pki.makeSigner(notBefore: begin, notAfter: Self.era.adding(days: -90))
        agreementSigner = try pki.makeSigner(notBefore: begin, notAfter: end, forSigning: false)
        foreignSigner = try foreign.makeSigner(notBefore: begin, notAfter: end)
        let root = PEM.encode("CERTIFICATE", pki.receiptRoot.certificate)
        anchors = try TrustAnchors.appleReceipts().adding(try TrustAnchors(pem: Array(root.utf8)))
        blocked = [SerialNumber(try Certificate(der: blockedSigner.certificates[0]).serial)]
        devices = try (0..<6).map { index in
            let appID = index < 3 ? "ABCDE12345.com.example.app" : "FGHIJ67890.com.example.other"
            return Device(
                key: try pki.attestKey(appID: appID, at: Self.era.adding(days: -50)), appID: appID,
                environment: index % 2 == 0 ? .production : .development)
        }
        var minted: [Template] = []
        for (index, device) in devices.enumerated() {
            for kind in [ReceiptContent.Kind.attest, .receipt(riskMetric: index + 1), .receipt(riskMetric: nil)] {
                let content = Self.content(device, kind: kind, at: Self.era.adding(seconds: Int64(index * 1_000)))
                minted.append(try Template(signers[index % 3].envelope(content.encoded), isGenuine: false))
            }
        }
        self.minted = minted
        let samples = GenuineReceipts.folder == nil && !GenuineReceipts.areRequired ? [] : try GenuineReceipts.all()
        genuine = try samples.filter(\.isValid).map { try Template($0.bytes.bytes, isGenuine: true) }
        genuineRefused = try samples.filter { !$0.isValid }.map { try Template($0.bytes.bytes, isGenuine: true) }
    }

    /// A device's payload.
    static func content(_ device: Device, kind: ReceiptContent.Kind, at time: SimulatedTime) -> ReceiptContent {
        ReceiptContent(
            appID: device.appID, certificate: device.key.certificate, clientHash: device.key.clientHash,
            token: device.key.token, environment: device.environment, creationTime: time, kind: kind)
    }
}

extension JudgePool.Template {
    init(_ bytes: [UInt8], isGenuine: Bool) throws {
        let payload = try ReceiptPayload(reading: SignedReceipt(reading: bytes).content)
        self.init(
            bytes: bytes, payload: payload, keyID: try KeyStep.read(payload).keyID, isGenuine: isGenuine)
    }

    /// A question about this receipt that a good verifier answers with yes.
    func request(_ generator: inout SeededGenerator) -> JudgeCase.Request {
        guard payload.type == .receipt, generator.oneIn(2) else { return storedRequest }
        let created = payload.creationTime.instant
        let replaced = ReplacedReceipt(
            appID: payload.appID, keyID: keyID, environment: payload.environment, creationTime: created - .days(2),
            attestedCertificateDigest: SHA256Digest(hashing: payload.attestedCertificate))
        return .answer(replaced, serverDate: created + .seconds(generator.pick(-30..<200)))
    }

    /// The same as a question about a stored receipt.
    var storedRequest: JudgeCase.Request {
        .stored(ExpectedReceipt(appID: payload.appID, keyID: keyID, environments: [payload.environment]))
    }
}
