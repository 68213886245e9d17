import AppAttest
import SimulatedDataServer
import Testing
import Verification

@Suite("The signer cache")
struct SignerCacheTests {
    let mint: Mint

    init() throws {
        mint = try Mint()
    }

    private func entry(_ junk: UInt8) throws -> (SignerCache.Key, TrustedSigner) {
        // What a sender can vary without touching anything signed: the certificates beside the signer's.
        var editable = try EditableReceipt(mint.receipt().bytes)
        editable.certificates.append(TLV.definite(TLV.sequence, [0x05, 0x00, junk]))
        let key = try #require(SignerCache.Key(try SignedReceipt(reading: editable.encoded)))
        let receipt = try SignedReceipt(reading: mint.receipt().bytes)
        let candidate = try SignatureStep.findSigner(of: receipt)
        return (key, try ChainStep.check(candidate, anchors: mint.anchors, at: Mint.instant))
    }

    @Test("holds 64 signers and forgets the one that came first")
    func capacity() throws {
        let cache = SignerCache()
        let entries = try (0..<70).map { try entry(UInt8($0)) }
        for (key, signer) in entries + entries.suffix(1) { cache.keep(signer, for: key) }
        #expect(cache.count == 64)
        #expect(cache.signer(for: entries[5].0) == nil)
        #expect(cache.signer(for: entries[6].0) != nil)
        #expect(cache.signer(for: entries[69].0) != nil)
    }

    @Test("another signer identifier over the same certificates is another key")
    func key() throws {
        var editable = try EditableReceipt(mint.receipt().bytes)
        let before = SignerCache.Key(try SignedReceipt(reading: editable.encoded))
        editable.signers[0].identifier[editable.signers[0].identifier.count - 1] ^= 1
        #expect(SignerCache.Key(try SignedReceipt(reading: editable.encoded)) != before)
    }

    @Test("a chain is as valid as all of its certificates together")
    func validity() throws {
        let signer = try entry(0).1
        #expect(signer.chain.count == 3)
        #expect(signer.validity.upperBound == Mint.signerEnd.seconds)
        #expect(signer.validity.lowerBound == Mint.time.adding(days: -300).seconds)
    }
}
