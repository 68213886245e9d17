import Postgres

/// Cuts work into batches that a transaction can take.
enum Batches {
    /// The places of `items` in waves: each key at most once in a wave, its items in their order.
    static func waves<Item, Key: Hashable>(of items: [Item], by key: (Item) -> Key) -> [[Int]] {
        var seen: [Key: Int] = [:]
        var waves: [[Int]] = []
        for (place, item) in items.enumerated() {
            let wave = seen[key(item), default: 0]
            seen[key(item)] = wave + 1
            if wave == waves.count { waves.append([]) }
            waves[wave].append(place)
        }
        return waves
    }

    /// Stores items in one batch; one that fails for a value in it is halved until the bad items stand alone, and each
    /// of those becomes what `failed` makes of it. The results are in the order of `items`.
    static func store<Item: Sendable, Stored: Sendable>(
        _ items: [Item], failed: (Item, PostgresError) -> Stored,
        with run: ([Item]) async throws(PostgresError) -> [Stored]
    ) async throws(PostgresError) -> [Stored] {
        guard !items.isEmpty else { return [] }
        do {
            return try await run(items)
        } catch {
            guard error.isDataFault else { throw error }
            if items.count == 1 { return [failed(items[0], error)] }
        }
        let middle = items.count / 2
        return try await store(Array(items[..<middle]), failed: failed, with: run)
            + store(Array(items[middle...]), failed: failed, with: run)
    }
}
