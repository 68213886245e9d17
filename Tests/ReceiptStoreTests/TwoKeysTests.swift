import AppAttest
import ReceiptStore
import Refresh
import Testing

@Suite("Two keys of one device at once")
struct TwoKeysTests {
    private static let groups = 4
    private static let devices = 100

    /// Devices of a group; each has three keys: its own number, and that with a thousand or two thousand more.
    private func devices(_ group: Int) -> Range<Int> {
        group * Self.devices..<(group + 1) * Self.devices
    }

    private func takeIn(_ keys: [Int], at now: Instant, by stores: Stores) async throws {
        let outcomes = try await stores.intake.takeIn(
            keys.map { .attest($0, created: now, device: "device-\($0 % 1_000)") }, now: now)
        #expect(outcomes.allSatisfy { $0.result == .takenIn })
    }

    @Test("stored by two workers while a third is taken in: one flag a device, and no batch is broken off")
    func atOnce() async throws {
        try await Stores.lend { stores in
            let second = Stores(try stores.test.anew())
            let third = Stores(try stores.test.anew())
            let all = 0..<Self.groups * Self.devices
            try await takeIn(all.map { $0 } + all.map { $0 + 1_000 }, at: start, by: stores)
            let due = try await stores.due()
            let token = try await stores.tokens()
            let now = start + .days(1)
            for group in 0..<Self.groups {
                // The second worker has them in another order.
                let orders = [Array(devices(group)), devices(group).reversed().map { $0 + 1_000 }]
                let batches = try orders.map { numbers in
                    try numbers.map { number in
                        let row = try #require(due[key(number)])
                        return Outcome(
                            due: row, sentTime: now, reply: nil,
                            ending: .answered(receipt(number, created: now, metric: 30)), token: token(row))
                    }
                }
                async let one = stores.refresh.store(batches[0], now: now)
                async let two = second.refresh.store(batches[1], now: now)
                async let three: Void = takeIn(devices(group).map { $0 + 2_000 }, at: now, by: third)
                let stored = try await one + two
                try await three
                #expect(stored.allSatisfy { $0.word == .replaced && $0.refusal == nil })
                #expect(stored.count { $0.flagChange != .unchanged } == Self.devices)
                let flags = try await stores.number("SELECT count(*) FROM attestwatch.flag")
                #expect(flags == (group + 1) * Self.devices)
            }
        }
    }
}
