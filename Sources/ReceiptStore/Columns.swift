import AppAttest
import Postgres
import Refresh
import Risk

// How this program's nouns stand in columns, both ways.

extension Parameter {
    /// A point in time or NULL.
    static func time(_ instant: Instant?) -> Parameter {
        .time(instant.map(Timestamp.init))
    }

    /// Points in time.
    static func times(_ instants: [Instant?]) -> Parameter {
        .times(instants.map { $0.map(Timestamp.init) })
    }

    /// Whole numbers.
    static func ints(_ numbers: [Int?]) -> Parameter {
        .ints(numbers.map { $0.map(Int64.init) })
    }

    /// The 32 bytes of each key identifier.
    static func keyIDs(_ keys: [KeyIdentifier]) -> Parameter {
        .bytesArray(keys.map(\.bytes))
    }

    /// The words that cases of an enum of ours stand for.
    static func words<Word: RawRepresentable>(_ words: [Word?]) -> Parameter where Word.RawValue == String {
        .texts(words.map { $0?.rawValue })
    }
}

extension Timestamp {
    /// The same point in time.
    init(_ instant: Instant) {
        self.init(unixMicroseconds: instant.microseconds)
    }
}

extension Rows {
    /// Takes a point in time.
    mutating func instant() throws(PostgresError) -> Instant {
        Instant(microseconds: try read(Timestamp.self).unixMicroseconds)
    }

    /// Takes a point in time, nil for NULL.
    mutating func optionalInstant() throws(PostgresError) -> Instant? {
        try readOptional(Timestamp.self).map { Instant(microseconds: $0.unixMicroseconds) }
    }

    /// Takes the 32 bytes of a key identifier.
    mutating func keyID() throws(PostgresError) -> KeyIdentifier {
        try read("a key identifier") { (bytes: [UInt8]) in KeyIdentifier(bytes) }
    }

    /// Takes the 32 bytes of a SHA-256 digest.
    mutating func digest() throws(PostgresError) -> SHA256Digest {
        try read("a SHA-256 digest") { (bytes: [UInt8]) in SHA256Digest(bytes) }
    }

    /// Takes an App ID.
    mutating func appID() throws(PostgresError) -> AppID {
        try read("an App ID") { (text: String) in AppID(text) }
    }

    /// Takes a rank by its number.
    mutating func rank() throws(PostgresError) -> Rank {
        try read("a rank") { (number: Int) in Rank(rawValue: number) }
    }

    /// Takes a word that a case of an enum of ours stands for.
    mutating func word<Word: RawRepresentable>(
        _ type: Word.Type = Word.self
    ) throws(PostgresError) -> Word where Word.RawValue == String {
        try read("a word of \(Word.self)") { (text: String) in Word(rawValue: text) }
    }

    /// The same, nil for NULL.
    mutating func optionalWord<Word: RawRepresentable>(
        _ type: Word.Type = Word.self
    ) throws(PostgresError) -> Word? where Word.RawValue == String {
        try readOptional("a word of \(Word.self)") { (text: String) in Word(rawValue: text) }
    }
}

extension Subject {
    /// The subject of a key: its device where one is named, else the key itself.
    init(keyID: KeyIdentifier, appID: AppID, environment: Environment, deviceRef: String?) {
        self = deviceRef.map { .device(appID, environment, deviceRef: $0) } ?? .key(keyID)
    }
}
