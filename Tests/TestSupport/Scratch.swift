import Foundation

/// A folder of its own for one test, removed with the value.
package final class Scratch {
    /// Where it is.
    package let path: String

    /// Makes the folder.
    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "attestwatch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file into it and gives its path.
    package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }
}
