import AppAttest
import Foundation
import Refresh
import Reporting
import Risk
import Testing

@Suite("What explain prints")
struct ExplainReportTests {
    private static let now = Instant(seconds: 1_790_000_000)

    private func key(_ number: UInt8, _ schedule: ScheduleRow, reply: ReplyRecord? = nil) throws -> KeyRecord {
        KeyRecord(
            keyID: try #require(KeyIdentifier([UInt8](repeating: number, count: 32))), userRef: "u-1",
            attestedTime: Self.now - .days(9), addedTime: Self.now - .days(8),
            receipt: StoredReceipt(
                type: .receipt, creationTime: Self.now - .days(2), notBefore: Self.now - .days(1),
                expirationTime: Self.now + .days(88), storedTime: Self.now - .days(2), riskMetric: 7,
                metricTime: Self.now - .days(2), replacedCreationTime: Self.now - .days(9), tokenChangedTime: nil),
            schedule: schedule,
            reply: reply ?? ReplyRecord(status: nil, date: nil, traceID: nil, spanID: nil, excerpt: nil),
            isNewest: true, isReader: true, keptAnswers: 2)
    }

    private func explanation(
        _ schedule: ScheduleRow, reply: ReplyRecord? = nil, cadence: Cadence? = .standard, keyCount: Int = 40
    ) throws -> Explanation {
        let first = try key(7, schedule, reply: reply)
        return Explanation(
            record: SubjectRecord(
                appID: try #require(AppID("A1B2C3D4E5.com.example")), environment: .production, deviceRef: "d-1",
                keyCount: keyCount, key: first, otherKeys: [try key(8, schedule)],
                level: KeyLevel(
                    level: "review", riskMetric: 7, metricTime: Self.now - .days(2), flagLevel: .review),
                flag: FlagRecord(
                    level: .review, peakMetric: 9, openedTime: Self.now - .days(9), changedTime: Self.now - .days(9)),
                flagEvents: [
                    FlagEvent(
                        time: Self.now - .days(9), kind: "opened", fromLevel: nil, toLevel: .review, riskMetric: 9,
                        keyID: first.keyID, actor: "attestwatch", note: nil)
                ],
                readings: [MetricReading(time: Self.now - .days(2), riskMetric: 7)]),
            cadence: cadence, dataServer: "data.example", now: Self.now)
    }

    private let failed = ScheduleRow(
        shard: 3, rank: .flagged, dueTime: now + .hours(74), failures: 3, lastOutcome: .failed,
        lastOutcomeTime: now - .hours(1))

    @Test("a page for people: facts with their distance in time, why it is due then, and what a run would do")
    func text() throws {
        let reply = ReplyRecord(
            status: 503, date: Self.now - .hours(1), traceID: "abc", spanID: "def", excerpt: "try \u{1b}[31mlater")
        let text = ExplainReport(try explanation(failed, reply: reply)).text
        for line in [
            "key                BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc= (the newest of its device)",
            "device             d-1, 40 keys on record",
            "level              review: 7 in the receipt of 2026-09-19T14:13:20Z (2 d ago)",
            "open flag          review, peak 9, opened 2026-09-12T14:13:20Z (9 d ago), changed",
            "replaced           the one created 2026-09-12T14:13:20Z (9 d ago)",
            "window opens       2026-09-20T14:13:20Z (1 d ago)",
            "last tenth from    2026-12-09T16:37:20Z (in 79 d 2 h)",
            "expires            2026-12-18T14:13:20Z (in 88 d)",
            "due                2026-09-24T16:13:20Z (in 3 d 2 h), rank flagged",
            "why then           not answered as hoped 3 times in a row",
            "answered           503, Date 2026-09-21T13:13:20Z",
            "trace              abc",
            "error text         try ?[31mlater",
            "kept answers       2",
            "a run now would    not send it: due in 3 d 2 h",
            "and 38 more",
        ] {
            #expect(text.contains(line), "\(line) in\n\(text)")
        }
        #expect(text.contains("opened  2026-09-12T14:13:20Z (9 d ago)  -     review       9  attestwatch  -        -"))
    }

    @Test(
        "what a run now would do, in words",
        arguments: [
            (ReceiptState.active, Duration.zero, true, "a run now would    send it to data.example, rank flagged"),
            (.active, .zero, false, "the app A1B2C3D4E5.com.example is not configured"),
            (.quarantined, .zero, true, "'attestwatch quarantine release' brings it back"),
            (.dropped, .zero, true, "dropped by a person"),
            (.retired, .zero, true, "retired; a newer receipt"),
            (.lost, .zero, true, "lost; a newer receipt"),
        ])
    func steps(state: ReceiptState, due: Duration, isConfigured: Bool, words: String) throws {
        var row = failed
        row.state = state
        row.dueTime = Self.now + due
        let text = ExplainReport(try explanation(row, cadence: isConfigured ? .standard : nil)).text
        #expect(text.contains(words), "\(text)")
    }

    @Test("JSON says the same in one line, null where there is nothing")
    func json() throws {
        let json = ExplainReport(try explanation(failed)).json
        #expect(json.hasSuffix("}\n") && json.filter { $0 == "\n" }.count == 1)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let key = try #require(read["key"] as? [String: Any])
        #expect(key["state"] as? String == "active" && key["last_status"] is NSNull && key["failures"] as? Int == 3)
        #expect((read["why"] as? [String: Any])?["reason"] as? String == "failed")
        #expect((read["run_now"] as? [String: Any])?["step"] as? String == "wait")
        #expect((read["window"] as? [String: Any])?["opens"] as? String == "2026-09-20T14:13:20Z")
        #expect((read["flag_events"] as? [Any])?.count == 1 && read["key_count"] as? Int == 40)
        #expect((read["readings"] as? [[String: Any]])?.first?["risk_metric"] as? Int == 7)
    }
}
