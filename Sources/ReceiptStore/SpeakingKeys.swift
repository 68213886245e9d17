import Postgres

/// The keys that the level of a device is made of, where it has more than eight: a back end that asks for one is
/// answered by looking these up, however many there are.
enum SpeakingKeys {
    /// Chooses anew, behind all else that a transaction writes of these keys: their readings, and whether they are
    /// quiet.
    static func choose(
        after standings: some Sequence<KeyStanding>, on connection: borrowing Connection
    ) throws(PostgresError) {
        try choose(for: Set(standings.filter(\.hasSpeakingKeys).map(\.subject)), on: connection)
    }

    /// Chooses anew for these subjects.
    static func choose(for subjects: Set<String>, on connection: borrowing Connection) throws(PostgresError) {
        guard !subjects.isEmpty else { return }
        try connection.run(.chooseSpeakingKeys, [.texts(subjects.sorted())])
    }
}
