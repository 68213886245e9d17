import OpenSSL
import System

/// The unit in which a receipt's CPU time is told: one verification of a P-256 signature, by the function that receipts
/// are verified with.
///
/// It is timed in the process that refreshes them, while it does so: when other programs share the cores and their
/// caches, a verification takes longer, just as all the rest does. So a figure means much the same on a fast, a slow
/// and a busy machine. What a verification takes before and after is told beside it.
struct VerificationUnit: Sendable {
    /// Some milliseconds, so that what a slice begins with counts little.
    private static let verificationsASlice = 20

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
        for _ in 0..<slices { addSlice(to: &samples) }
        return samples
    }

    /// Times a slice every now and then until the task is cancelled; at least one.
    func sample() async -> Samples {
        var samples = Samples()
        repeat {
            addSlice(to: &samples)
            // A sleep that is cancelled is the end.
            try? await Task.sleep(for: .milliseconds(50))
        } while !Task.isCancelled
        return samples
    }

    private func addSlice(to samples: inout Samples) {
        let start = threadCPUMicroseconds()
        for _ in 0..<Self.verificationsASlice {
            precondition(key.verifies(signature: signature, over: message, hash: .sha256), "it is its own key's")
        }
        samples.microseconds += threadCPUMicroseconds() - start
        samples.verifications += Self.verificationsASlice
    }
}

/// What verifications took.
struct Samples: Sendable {
    /// CPU microseconds of all of them.
    var microseconds: Int64 = 0
    /// How many there were.
    var verifications = 0

    /// Both together.
    static func + (one: Samples, other: Samples) -> Samples {
        Samples(
            microseconds: one.microseconds + other.microseconds,
            verifications: one.verifications + other.verifications)
    }

    /// CPU microseconds of one verification. The mean, because the run's own time is a sum too: when the cores change
    /// their speed for a while, both feel it alike.
    var mean: Double {
        Double(microseconds) / Double(verifications)
    }
}
