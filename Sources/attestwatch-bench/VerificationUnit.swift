import OpenSSL
import System

/// The unit in which a receipt's CPU time is told: one verification of a P-256 signature, by the function that receipts
/// are verified with.
///
/// It is timed in the process that refreshes them, while it does so: when other programs share the cores and their
/// caches, a verification takes longer, just as all the rest does. So a figure means much the same on a fast, a slow
/// and a busy machine. What a verification takes before and after is told beside it.
struct VerificationUnit: Sendable {
    private static let verificationsASlice = 50

    private let key: ECPublicKey
    private let message: [UInt8]
    private let signature: [UInt8]

    /// Makes a key and a signature to verify.
    init() throws(OpenSSLError) {
        let signer = try ECPrivateKey(generatingOn: .p256)
        message = Array("a message of no more than one block".utf8)
        signature = try signer.sign(message, hash: .sha256)
        key = try signer.publicKey()
    }

    /// Times so many slices, one right after the other.
    func time(slices: Int) -> Samples {
        var samples = Samples()
        for _ in 0..<slices { samples.add(slice(), count: Self.verificationsASlice) }
        return samples
    }

    /// Times a slice every now and then until the task is cancelled; at least one.
    func sample() async -> Samples {
        var samples = Samples()
        repeat {
            samples.add(slice(), count: Self.verificationsASlice)
            // A sleep that is cancelled is the end.
            try? await Task.sleep(for: .milliseconds(200))
        } while !Task.isCancelled
        return samples
    }

    /// CPU microseconds of a slice.
    private func slice() -> Int64 {
        let start = threadCPUMicroseconds()
        for _ in 0..<Self.verificationsASlice {
            precondition(key.verifies(signature: signature, over: message, hash: .sha256), "it is its own key's")
        }
        return threadCPUMicroseconds() - start
    }
}

/// What slices took.
struct Samples: Sendable {
    /// CPU microseconds of all slices.
    private(set) var total: Int64 = 0
    private var slices: [Double] = []

    /// Adds a slice of so many verifications.
    mutating func add(_ microseconds: Int64, count: Int) {
        total += microseconds
        slices.append(Double(microseconds) / Double(count))
    }

    /// Both together.
    static func + (one: Samples, other: Samples) -> Samples {
        Samples(total: one.total + other.total, slices: one.slices + other.slices)
    }

    /// CPU microseconds of one verification: the median of the slices, so that single disturbances do not count.
    var median: Double {
        slices.isEmpty ? .nan : slices.sorted()[slices.count / 2]
    }
}
