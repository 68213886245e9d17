/// One file of `migrations/`, as it was compiled into the program.
package struct MigrationFile: Hashable, Sendable {
    /// The file's name, `NNNN_verb_noun.sql`.
    package let name: String
    /// Its statements.
    package let text: [UInt8]

    /// Names a text.
    package init(name: String, text: [UInt8]) {
        self.name = name
        self.text = text
    }

    /// The number that leads the name; 0 where none does.
    package var number: Int { Int(name.prefix { $0.isNumber }) ?? 0 }
}
