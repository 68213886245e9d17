import Verification

/// What a run of the judge has counted.
struct JudgeTally: Sendable {
    var cases = 0
    var acceptedByBoth = 0
    var refusedByBoth = 0
    var stricter: [StricterReason: Int] = [:]
    var failures: [FailureKind: Int] = [:]
    var strata: [Stratum: Int] = [:]
    /// Cases that the whole list refuses and the list without this check accepts.
    var letThrough: [CheckList.Check: Int] = [:]
    /// Cases on which the list put together in the tests was held against the product's verdict.
    var compared = 0
    /// What must not be, in words that name the case.
    var violations: [String] = []

    /// Both counts together.
    mutating func add(_ other: JudgeTally) {
        cases += other.cases
        acceptedByBoth += other.acceptedByBoth
        refusedByBoth += other.refusedByBoth
        compared += other.compared
        stricter.merge(other.stricter, uniquingKeysWith: +)
        failures.merge(other.failures, uniquingKeysWith: +)
        strata.merge(other.strata, uniquingKeysWith: +)
        letThrough.merge(other.letThrough, uniquingKeysWith: +)
        violations += other.violations
    }

    /// The counts for a person to read.
    var table: String {
        func rows<Key: RawRepresentable<String> & CaseIterable & Hashable>(_ counts: [Key: Int]) -> String {
            Key.allCases.map { "\n  \($0.rawValue): \(counts[$0] ?? 0)" }.joined()
        }
        return """
            Judge: \(cases) cases, \(acceptedByBoth) accepted by both, \(refusedByBoth) refused by both
            refused here and accepted by CMS_verify, because of:\(rows(stricter))
            failures met:\(rows(failures))
            let through without the check:\(rows(letThrough))
            compared with the list put together in the tests: \(compared)
            """
    }
}
