/// Why answers could not be kept in a journal, or a journal could not be read.
package enum JournalFailure: Error, Hashable, Sendable {
    /// Nothing more can be written in this folder.
    case cannotWrite(folder: String, reason: String)
    /// A journal that another run left, or the folder that it is in, cannot be read or taken away.
    case cannotRead(path: String, reason: String)
}
