import AppAttest

// How an entry stands in a journal's record. Numbers are big-endian; times are microseconds since 1970 in 8 octets.
//
//     1   version: 1
//     1   environment: 0 production, 1 development
//     1   whether the reply had a `Date`: 0 or 1
//     8   received time
//     8   `Date`; zero without one
//     8   creation time of what was sent
//     32  key identifier
//     32  SHA-256 of what was sent
//     1   octets of the App ID
//     …   App ID
//     …   the answer: all that is left, at least one octet
extension JournalEntry {
    /// The only version that is written and read.
    private static let version: UInt8 = 1
    /// Octets before the App ID.
    private static let fixedSize = 92

    /// The entry in octets.
    package var octets: [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(Self.fixedSize + appID.text.utf8.count + answer.bytes.count)
        octets += [Self.version, environment == .production ? 0 : 1, serverDate == nil ? 0 : 1]
        for time in [receivedTime, serverDate ?? Instant(microseconds: 0), sentCreationTime] {
            let number = UInt64(bitPattern: time.microseconds)
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                octets.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        octets += keyID.bytes
        octets += sentDigest.bytes
        octets.append(UInt8(appID.text.utf8.count))
        octets += appID.text.utf8
        octets += answer.bytes
        return octets
    }

    /// Reads what `octets` gives and nothing else; nil for all other octets.
    package init?(octets: [UInt8]) {
        guard octets.count > Self.fixedSize, octets[0] == Self.version, octets[1] <= 1, octets[2] <= 1,
            let keyID = KeyIdentifier(Array(octets[27..<59])), let digest = SHA256Digest(Array(octets[59..<91]))
        else { return nil }
        let date = Self.time(octets[11..<19])
        let end = Self.fixedSize + Int(octets[91])
        guard octets[2] == 1 || date.microseconds == 0, octets.count > end,
            let text = String(validating: octets[Self.fixedSize..<end], as: UTF8.self), let appID = AppID(text)
        else { return nil }
        self.init(
            receivedTime: Self.time(octets[3..<11]), serverDate: octets[2] == 1 ? date : nil,
            environment: octets[1] == 0 ? .production : .development, appID: appID, keyID: keyID, sentDigest: digest,
            sentCreationTime: Self.time(octets[19..<27]), answer: ReceiptBytes(Array(octets[end...])))
    }

    private static func time(_ octets: ArraySlice<UInt8>) -> Instant {
        Instant(microseconds: Int64(bitPattern: octets.reduce(0) { $0 << 8 | UInt64($1) }))
    }
}
