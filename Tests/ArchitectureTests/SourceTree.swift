import Foundation

/// The checked-out project as the checks see it: its files and their lines.
struct SourceTree {
    /// The folder that holds `Package.swift`.
    let root: URL

    /// The project this test was compiled in.
    static let project = SourceTree(
        root: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent())

    /// Every file under `folder` with this ending, as a path relative to the root, sorted.
    func files(under folder: String, ending: String) throws -> [String] {
        let start = root.appending(path: folder)
        guard let walk = FileManager.default.enumerator(atPath: start.path) else {
            throw CocoaError(.fileReadNoSuchFile)
        }
        return walk.compactMap { $0 as? String }.filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }.sorted()
    }

    /// The text of one file.
    func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The lines of one file.
    func lines(_ path: String) throws -> [String] {
        try text(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The target that a path under `Sources` belongs to; `migrations` and `ops` are targets of their own.
    static func target(of path: String) -> String {
        let parts = path.split(separator: "/")
        return parts[0] == "Sources" ? String(parts[1]) : String(parts[0])
    }
}
