import Refresh

extension RunResult {
    /// What is to be said of the receipts that back ends have handed over in SQL.
    package var intakeNotices: [RunNotice] {
        var notices: [RunNotice] = []
        func add(_ count: Int, _ message: String, hint: String) {
            guard count > 0 else { return }
            notices.append(RunNotice(weight: .warning, message: message, hint: hint))
        }
        add(
            summary.rejected, "\(summary.rejected) receipts handed over in SQL were not taken in",
            hint: "attestwatch.submission(key_id) tells a back end why; the table attestwatch.intake_rejected has them "
                + "all, and whichever is handed over once more is tried again")
        let elsewhere = (waiting ?? []).filter { !$0.isConfigured }
        let count = elsewhere.reduce(0) { $0 + $1.count }
        add(
            count,
            "\(count) receipts handed over in SQL wait for a worker that has their app and environment "
                + "(\(someNames(elsewhere.map(\.name).sorted())))",
            hint: "add these to \"apps\" in some worker's configuration, or see why the back end names them")
        add(
            deviceRefsIgnored,
            "\(deviceRefsIgnored) receipts were taken in whose device_ref is not the one on record, which stays",
            hint: "a device_ref once set, or left out, is not changed by handing a receipt over")
        return notices
    }
}

/// The first of these names, and how many more there are.
func someNames(_ names: [String]) -> String {
    let shown = 5
    let more = names.count > shown ? " and \(names.count - shown) more" : ""
    return names.prefix(shown).joined(separator: ", ") + more
}
