/// How the program ends. The numbers are a promise to cron jobs and unit files; they follow `sysexits.h` where it fits.
package enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
    /// All done.
    case success = 0
    /// Done, and something needs a person: a receipt that is not valid, a rejected line, a row newly put aside or
    /// lost, an outcome that the database refused for a value in it.
    case attention = 1
    /// The command line is wrong.
    case usage = 64
    /// An input file cannot be read.
    case inputUnreadable = 66
    /// The data server cannot be reached, or answers nothing but failures.
    case dataServerUnavailable = 69
    /// A fault of this program.
    case internalError = 70
    /// The state folder cannot be used.
    case stateDirectory = 73
    /// The database is away or refuses; try again later.
    case database = 75
    /// The data server refused the credential.
    case credentialRefused = 77
    /// The configuration is wrong, or what the system grants the process, such as open files, is too little.
    case configuration = 78
}
