import AppAttest
import Testing

@Suite("Damaged receipts")
struct DamageTests {
    /// Everything that decides about a receipt, by value.
    private struct Reading: Equatable {
        let content: [UInt8]
        let chunks: [Int]?
        let certificates: [UInt8]
        let identifiers: [[UInt8]]
        let signatures: [[UInt8]]
        let shape: FastShape

        init(_ receipt: SignedReceipt) {
            content = receipt.content
            chunks = receipt.contentChunks
            certificates = Array(receipt[receipt.certificatesField])
            identifiers = receipt.signers.map { Array(receipt[$0.signerIdentifierRange]) }
            signatures = receipt.signers.map { Array(receipt[$0.signature]) }
            shape = receipt.fastShape
        }
    }

    static let envelopes = [MintedEnvelope(), .der]

    @Test("cut at any length a receipt is refused and nothing traps", arguments: envelopes.indices)
    func truncated(index: Int) {
        let bytes = Self.envelopes[index].written
        for length in 0..<bytes.count {
            #expect(throws: ReceiptError.self, "cut to \(length)") {
                try SignedReceipt(reading: Array(bytes[..<length]))
            }
        }
    }

    @Test("a flipped bit is refused or seen in what is read; nothing traps", arguments: envelopes.indices)
    func flippedBits(index: Int) throws {
        let bytes = Self.envelopes[index].written
        try flipEachBit(of: bytes, #"envelope \#(index)"#)
    }

    @Test("the same of genuine receipts, one of each encoding", .genuine)
    func flippedBitsOfGenuineReceipts() throws {
        let receipts = try GenuineReceipt.all()
        for encoding in ["BER-indefinite", "DER"] {
            let genuine = try #require(receipts.last { $0.encoding == encoding })
            try flipEachBit(of: genuine.bytes(), "\(genuine.name)")
            let bytes = try genuine.bytes()
            for length in 0..<bytes.count where (try? SignedReceipt(reading: Array(bytes[..<length]))) != nil {
                Issue.record("\(genuine.name) cut to \(length) was read")
            }
        }
    }

    @Test("a payload cut at any length or with a flipped bit never traps, and cut it is refused")
    func damagedPayload() {
        let content = MintedPayload.receipt.written
        for length in 0..<content.count {
            #expect(throws: ReceiptError.self, "cut to \(length)") {
                try ReceiptPayload(reading: Array(content[..<length]))
            }
        }
        let whole = try? ReceiptPayload(reading: content)
        #expect(whole != nil)
        for bit in 0..<content.count * 8 {
            var damaged = content
            damaged[bit / 8] ^= 1 << (bit % 8)
            guard let payload = try? ReceiptPayload(reading: damaged) else { continue }
            #expect(payload != whole, "bit \(bit) was not seen")
        }
    }

    private func flipEachBit(of bytes: [UInt8], _ name: Comment) throws {
        let whole = Reading(try SignedReceipt(reading: bytes))
        var refused = 0
        var unseen: [Int] = []
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            guard let receipt = try? SignedReceipt(reading: damaged) else {
                refused += 1
                continue
            }
            if Reading(receipt) == whole { unseen.append(bit) }
        }
        #expect(unseen.isEmpty, name)
        #expect(refused > 100, name)
    }
}
