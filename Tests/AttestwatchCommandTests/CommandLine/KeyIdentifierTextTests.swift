import AppAttest
import AttestwatchCommand
import Testing

@Suite("Key identifiers on the command line")
struct KeyIdentifierTextTests {
    private static let key = KeyIdentifier([0xfb, 0xff] + [UInt8](1...30))!

    @Test(
        "one is read in every form in which people copy it",
        arguments: [
            "+/8BAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4=", "-_8BAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4",
            "fbff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
            "\\xFBFF0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E",
        ])
    func read(text: String) {
        #expect(KeyIdentifierText.parse(text) == Self.key)
    }

    @Test(
        "what is shorter, longer or something else is none",
        arguments: [
            "", "d-4711", "fbff", "\\x", "+/8BAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHQ==",
            "+_8BAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4=",
            "fbff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff",
            "fbff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1g",
        ])
    func refused(text: String) {
        #expect(KeyIdentifierText.parse(text) == nil)
    }
}
