import AppAttest

/// Whose data is to be erased.
package struct ErasureSelection: Hashable, Sendable {
    /// By what it is known.
    package enum Name: Hashable, Sendable {
        /// All keys of this user.
        case user(String)
        /// All keys of this device, whoever uses it.
        case device(String)
        /// One key.
        case key(KeyIdentifier)
    }

    /// By what it is known.
    package let name: Name
    /// Only what this app has; nil: what any has.
    package let app: AppID?

    /// Puts the parts together; nothing is checked.
    package init(name: Name, app: AppID? = nil) {
        self.name = name
        self.app = app
    }
}

/// What an erasure took out of the database.
package struct Erasure: Hashable, Sendable {
    /// How many rows of each kind went or changed.
    package struct Counts: Hashable, Sendable {
        /// Keys, each with its place in the schedule.
        package var keys = 0
        /// Current receipts, each with the one it had replaced.
        package var receipts = 0
        /// Readings of all months.
        package var readings = 0
        /// Receipts handed over and not yet taken in.
        package var submissions = 0
        /// Receipts handed over and refused.
        package var rejections = 0
        /// Answers that were not believed.
        package var keptAnswers = 0
        /// Open flags whose subject has no key left: each is closed.
        package var flagsClosed = 0
        /// Flags and events of flags that named what is erased, and stay without the name.
        package var referencesStruck = 0

        /// Nothing was there.
        package init() {}

        /// Whether nothing was there.
        package var isEmpty: Bool { self == Counts() }
    }

    /// The keys, on record or only handed over.
    package let keys: Set<KeyIdentifier>
    /// How many rows went or changed.
    package let counts: Counts

    /// Puts the parts together; nothing is checked.
    package init(keys: Set<KeyIdentifier>, counts: Counts) {
        self.keys = keys
        self.counts = counts
    }
}
