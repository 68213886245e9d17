import AppAttest

/// Whom a risk metric speaks of: the device where the back end named one, else the key itself.
package enum Subject: Hashable, Sendable {
    /// A device, by the back end's own name for it, as one app sees it.
    case device(AppID, Environment, deviceRef: String)
    /// A key of which no device is known.
    case key(KeyIdentifier)
}

extension Subject {
    /// How many shards there are.
    package static let shardCount = 64

    /// The subject in one text, as the store keeps it: `device:<App ID> <environment> <device_ref>` or `key:<hex>`.
    ///
    /// Neither App IDs nor environments hold a space, so no two subjects share a text.
    package var storageKey: String {
        switch self {
        case .device(let app, let environment, let deviceRef):
            "device:\(app.text) \(environment.rawValue) \(deviceRef)"
        case .key(let keyID):
            "key:"
                + keyID.bytes.map { octet in
                    let digits = String(octet, radix: 16)
                    return octet < 16 ? "0" + digits : digits
                }.joined()
        }
    }

    /// 0..63, the same in every process and version, so that all keys of a device meet in one worker: FNV-1a (64 bits,
    /// draft-eastlake-fnv) over the UTF-8 of `storageKey`, its halves folded together.
    package var shard: Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for octet in storageKey.utf8 {
            hash = (hash ^ UInt64(octet)) &* 0x100_0000_01b3
        }
        return Int((hash ^ (hash >> 32)) % UInt64(Self.shardCount))
    }
}
