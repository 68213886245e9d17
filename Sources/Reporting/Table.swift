/// Rows in aligned columns for people.
package struct Table: Sendable {
    /// A column's title, and on which side its cells stand.
    package struct Column: Sendable {
        let title: String
        let isNumber: Bool

        /// A column of words, aligned left.
        package static func words(_ title: String) -> Column { Column(title: title, isNumber: false) }
        /// A column of numbers, aligned right.
        package static func numbers(_ title: String) -> Column { Column(title: title, isNumber: true) }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// A table without rows.
    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with a cell for each column; nil is shown as a dash.
    package mutating func add(_ cells: [String?]) {
        precondition(cells.count == columns.count, "a table row has a cell for each column")
        rows.append(cells.map { $0.map(printable) ?? "-" })
    }

    /// The title line and the rows, each ended by a newline, columns two spaces apart.
    package var text: String {
        let titles = columns.map(\.title)
        let widths = columns.indices.map { column in
            ([titles] + rows).map { $0[column].unicodeScalars.count }.max() ?? 0
        }
        return ([titles] + rows).map { line($0, widths) + "\n" }.joined()
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let space = String(repeating: " ", count: widths[index] - cell.unicodeScalars.count)
            line += (index == 0 ? "" : "  ") + (columns[index].isNumber ? space + cell : cell + space)
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}

/// Text of unknown origin made safe for a terminal: control characters, escape sequences among them, become `?`.
package func printable(_ text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            safe += "?"
        default:
            safe.unicodeScalars.append(scalar)
        }
    }
    return safe
}
