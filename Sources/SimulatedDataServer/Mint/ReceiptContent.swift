import OpenSSL

/// The payload of a receipt, before it is signed: the fields as Apple fills them.
package struct ReceiptContent: Sendable {
    /// Field 2: team identifier, dot, bundle identifier.
    package var appID: String
    /// Field 3: the attested certificate, DER.
    package var certificate: [UInt8]
    /// Field 4: the hash that the app gave to attestKey. In a RECEIPT it is written the way Apple mangles it.
    package var clientHash: [UInt8]
    /// Field 5: base64 text of 64 octets, the same through one attestation.
    package var token: String
    /// Field 7.
    package var environment: SimulatedEnvironment
    /// Field 12.
    package var creationTime: SimulatedTime
    /// Fields 6, 17, 19 and 21.
    package var kind: Kind
    /// For how many days after its creation it is good.
    package var days = usualDays

    /// As Apple's are.
    package static let usualDays = 90

    /// The two kinds of receipt.
    package enum Kind: Sendable {
        /// From an attestation: neither metric nor not-before.
        case attest
        /// From the data server: the metric, absent in a receipt that a test wants so.
        case receipt(riskMetric: Int?)
    }

    /// Puts the fields together.
    package init(
        appID: String, certificate: [UInt8], clientHash: [UInt8], token: String, environment: SimulatedEnvironment,
        creationTime: SimulatedTime, kind: Kind
    ) {
        self.appID = appID
        self.certificate = certificate
        self.clientHash = clientHash
        self.token = token
        self.environment = environment
        self.creationTime = creationTime
        self.kind = kind
    }

    /// Field 19: creation and 24 hours, in a RECEIPT only.
    package var notBefore: SimulatedTime? {
        switch kind {
        case .attest: nil
        case .receipt: creationTime.adding(days: 1)
        }
    }

    /// Field 21: creation and the days for which it is good.
    package var expirationTime: SimulatedTime { creationTime.adding(days: Int64(days)) }

    /// The fields with their numbers, in the order that Apple writes them for this kind.
    package var fields: [(number: UInt8, value: [UInt8])] {
        let common: [(UInt8, [UInt8])] = [(2, Array(appID.utf8)), (3, certificate)]
        let token: (UInt8, [UInt8]) = (5, Array(token.utf8))
        let place: (UInt8, [UInt8]) = (7, Array(environment.receiptField.utf8))
        let created: (UInt8, [UInt8]) = (12, Array(creationTime.text.utf8))
        let expires: (UInt8, [UInt8]) = (21, Array(expirationTime.text.utf8))
        switch kind {
        case .attest:
            return common + [(4, clientHash), token, (6, Array("ATTEST".utf8)), place, created, expires]
        case .receipt(let riskMetric):
            let metric: [(UInt8, [UInt8])] = riskMetric.map { [(UInt8(17), Array(String($0).utf8))] } ?? []
            // Apple's server takes field 4 for text: octets that are no UTF-8 come back as U+FFFD.
            let mangled = Array(String(decoding: clientHash, as: UTF8.self).utf8)
            let notBefore: (UInt8, [UInt8]) = (19, Array(creationTime.adding(days: 1).text.utf8))
            return metric + [(6, Array("RECEIPT".utf8))] + common
                + [(4, mangled), token, place, created, notBefore, expires]
        }
    }

    /// The payload: an unsorted SET of SEQUENCE {number, version 1, value}.
    package var encoded: [UInt8] { Self.encode(fields) }

    /// Writes any list of fields the same way, also one that Apple would not send.
    package static func encode(_ fields: [(number: UInt8, value: [UInt8])]) -> [UInt8] {
        DER.set(
            fields.map { field in
                DER.sequence([DER.integer(field.number), DER.integer(1), DER.octetString(field.value)])
            })
    }
}

/// The two environments, each served by a data server of its own.
package enum SimulatedEnvironment: String, Hashable, Sendable, Codable, CaseIterable {
    /// Apps from the App Store, TestFlight or an enterprise.
    case production
    /// Apps run from Xcode; receipts call it `sandbox`.
    case development

    /// Field 7's word for it.
    package var receiptField: String {
        switch self {
        case .production: "production"
        case .development: "sandbox"
        }
    }
}
