import AttestwatchCommand
import Foundation
import TestSupport
import Testing

/// What `doctor` printed, and the exit code it ended with.
struct Diagnosis {
    /// A line of `--json`.
    struct Line {
        let state: String
        let message: String
        let hint: String?
    }

    let code: Int32
    let lines: [(check: String, line: Line)]
    let text: String

    /// The lines of a check.
    func lines(of check: String) -> [Line] { lines.filter { $0.check == check }.map(\.line) }

    /// The names of the checks in a state.
    func checks(in state: String) -> [String] { lines.filter { $0.line.state == state }.map(\.check) }
}

extension Stage {
    /// The folder of its files.
    var folder: String { attestwatch.folder.path }

    /// Makes the state folder, as a first refresh does.
    func makeStateFolder(mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder)/state", withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
    }

    /// Changes the configuration's text.
    func edit(_ change: (inout String) -> Void) throws {
        var settings = try String(contentsOfFile: configuration, encoding: .utf8)
        change(&settings)
        try attestwatch.file("a.json5", settings)
    }

    /// Runs `doctor --json` in a process of its own; `words` are the command that starts it in its place.
    func diagnose(under words: [String] = [], environment: [String: String] = [:]) throws -> Diagnosis {
        let command = try StartedCommand(self, ["doctor", "--json"], under: words, environment: environment)
        let ending = try command.ending()
        #expect(ending.errors == "")
        for secret in ["PRIVATE", "eyJ", "secret"] { #expect(!ending.output.contains(secret)) }
        let lines = try jsonLines(ending.output).map { object in
            let line = Diagnosis.Line(
                state: try #require(object["state"] as? String), message: try #require(object["message"] as? String),
                hint: object["hint"] as? String)
            return (check: try #require(object["check"] as? String), line: line)
        }
        return Diagnosis(code: ending.status, lines: lines, text: ending.output)
    }
}
