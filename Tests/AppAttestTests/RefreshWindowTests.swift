import AppAttest
import Testing

@Suite("The window of a receipt")
struct RefreshWindowTests {
    private static let created = Instant(seconds: 1_793_620_800)

    @Test("From not-before up to the expiration time, which is outside")
    func bounds() {
        let window = RefreshWindow(
            creationTime: Self.created, notBefore: Self.created + .days(1), expirationTime: Self.created + .days(91))
        #expect(!window.contains(Self.created))
        #expect(!window.contains(Self.created + .days(1) - .microseconds(1)))
        #expect(window.contains(Self.created + .days(1)))
        #expect(window.contains(Self.created + .days(91) - .microseconds(1)))
        #expect(!window.contains(Self.created + .days(91)))
        #expect(window.length == .days(90))
        #expect(window.lastTenth == Self.created + .days(82))
    }

    @Test("An ATTEST receipt has no not-before, and its window is open when it is made")
    func attest() {
        let window = RefreshWindow(
            creationTime: Self.created, notBefore: nil, expirationTime: Self.created + .days(90))
        #expect(window.opens == Self.created)
        #expect(window.contains(Self.created))
    }

    @Test("Times that contradict each other leave an empty window", arguments: [Duration.days(1), .days(2)])
    func contradiction(notBefore: Duration) {
        let window = RefreshWindow(
            creationTime: Self.created, notBefore: Self.created + notBefore, expirationTime: Self.created + .days(1))
        #expect(window.length == .zero)
        #expect(!window.contains(Self.created + .days(1)))
        #expect(!window.contains(Self.created + .hours(12)))
    }
}
