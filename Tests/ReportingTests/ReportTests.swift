import AppAttest
import Foundation
import Refresh
import Reporting
import Risk
import Testing

@Suite("Reports")
struct ReportTests {
    private func device(
        ref: String?, user: String? = nil, metric: Int? = 25, review: FlagReview? = nil
    ) throws -> FlaggedDevice {
        FlaggedDevice(
            appID: try #require(AppID("A1B2C3D4E5.com.example")), environment: .production, deviceRef: ref,
            keyID: try #require(KeyIdentifier([UInt8](repeating: 7, count: 32))), userRef: user, level: .high,
            openedTime: Instant(seconds: 1_790_000_000), changedTime: Instant(microseconds: 1_790_000_000_250_000),
            riskMetric: metric, metricTime: metric == nil ? nil : Instant(microseconds: 1_790_000_100_624_000),
            peakMetric: 31, keyCount: 3, freshness: .fresh, review: review)
    }

    @Test("a review stands with its verdict in the table, and whole in CSV and JSON")
    func review() throws {
        let review = FlagReview(
            time: Instant(seconds: 1_790_000_200), reviewer: "alice", verdict: "explained", note: "=test device")
        let devices = [try device(ref: "d-1", review: review), try device(ref: "d-2")]
        let lines = FlagReport.table(devices).split(separator: "\n")
        #expect(lines[0].hasSuffix("  REVIEW"))
        #expect(lines[1].hasSuffix("=  explained") && lines[2].hasSuffix("=  -"))
        let csv = FlagReport.csv(devices).components(separatedBy: "\r\n")
        #expect(csv[0].hasSuffix("changed_time,reviewed_time,reviewed_by,review_verdict,review_note"))
        #expect(csv[1].hasSuffix("2026-09-21T14:16:40Z,alice,explained,'=test device") && csv[2].hasSuffix(",,,,"))
        #expect(
            FlagReport.jsonLines(devices).contains(
                """
                "reviewed_time":"2026-09-21T14:16:40Z","reviewed_by":"alice","review_verdict":"explained",\
                "review_note":"=test device"}
                """))
    }

    @Test("an empty list of flags is a sentence, a line of titles, or nothing")
    func empty() {
        #expect(FlagReport.table([]) == "no flagged devices\n")
        #expect(FlagReport.csv([]).split(whereSeparator: \.isNewline).count == 1)
        #expect(FlagReport.jsonLines([]) == "")
    }

    @Test("the table of flags is aligned, times are to the second, and nothing in it moves the cursor")
    func table() throws {
        let text = FlagReport.table([try device(ref: "d-1"), try device(ref: "\u{1b}[31md", metric: nil)])
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("LEVEL  METRIC  METRIC TIME"))
        #expect(lines[1].hasPrefix("high       25  2026-09-21T14:15:00Z"))
        #expect(lines[2].hasPrefix("high        -  -"))
        #expect(lines[2].contains("?[31md"))
    }

    @Test(
        "CSV defuses formulas and quotes as RFC 4180 says",
        arguments: [
            ("=1+1", "'=1+1"), ("+4", "'+4"), ("-4", "'-4"), ("@x", "'@x"), ("\tx", "'\tx"),
            ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""), ("=a,\"b", "\"'=a,\"\"b\""), ("", ""),
        ])
    func csv(text: String, field: String) throws {
        let line = try #require(FlagReport.csv([try device(ref: text)]).components(separatedBy: "review_note").last)
        #expect(line.contains("A1B2C3D4E5.com.example,production,\(field),,"))
        #expect(line.hasSuffix("\r\n"))
    }

    @Test("a flag's JSON has every key, null where there is no value")
    func flagJSON() throws {
        let text = FlagReport.jsonLines([try device(ref: nil, user: "u", metric: nil)])
        #expect(
            text == """
                {"app_id":"A1B2C3D4E5.com.example","environment":"production","device_ref":null,"user_ref":"u",\
                "key_id":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=","level":"high","risk_metric":null,\
                "metric_time":null,"freshness":"fresh","peak_metric":31,"key_count":3,\
                "opened_time":"2026-09-21T14:13:20Z","changed_time":"2026-09-21T14:13:20.25Z",\
                "reviewed_time":null,"reviewed_by":null,"review_verdict":null,"review_note":null}

                """)
    }

    @Test("a summary's JSON has exactly its promised keys, in order")
    func summaryJSON() {
        var summary = RunSummary()
        summary.due = 12
        summary.flagsCleared = 3
        let report = SummaryReport(summary, replacements: ["production https://x/"])
        #expect(
            report.json == """
                {"due":12,"sent":0,"replaced":0,"early":0,"quiet":0,"superseded":0,"held":0,"quarantined":0,\
                "failed":0,"retired":0,"lost":0,"replayed":0,"taken_in":0,"rejected":0,"pending":0,\
                "flags_opened":0,"flags_raised":0,"flags_lowered":0,"flags_cleared":3}

                """)
        #expect(report.text.contains("flags: 0 opened, 0 raised, 0 lowered, 3 cleared\n"))
        #expect(report.text.hasSuffix("not Apple's: production https://x/\n"))
    }

    private func parked(_ reason: QuarantineReason, body: String?) throws -> QuarantinedKey {
        QuarantinedKey(
            keyID: try #require(KeyIdentifier([UInt8](repeating: 7, count: 32))),
            appID: try #require(AppID("A1B2C3D4E5.com.example")), environment: .production, deviceRef: nil,
            state: .quarantined, reason: reason, since: Instant(seconds: 1_790_000_000), attempts: 2,
            lastStatus: 400, lastTraceID: nil, lastExcerpt: body, expirationTime: Instant(seconds: 1_791_000_000),
            keptAnswers: 1)
    }

    @Test("the table of what waits for a person ends with what each reason in it means and what to do, and no other")
    func quarantineTable() throws {
        #expect(QuarantineReport.table([]) == "no key waits for a person\n")
        let rows = [try parked(.badRequest, body: "\u{1b}[2J"), try parked(.foreignTeam, body: nil)]
        let lines = QuarantineReport.table(rows).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 9 && lines[3] == "" && lines[8] == "")
        #expect(lines[1].hasSuffix("  ?[2J"))
        #expect(lines[4] == "bad_request: \(QuarantineReason.badRequest.meaning)")
        #expect(lines[5] == "    \(QuarantineReason.badRequest.hint)")
        #expect(lines[6].hasPrefix("foreign_team: "))
    }

    @Test("the JSON of what waits for a person has every key, null where there is no value")
    func quarantineJSON() throws {
        let text = QuarantineReport.jsonLines([try parked(.badRequest, body: nil)])
        #expect(
            text.hasPrefix(
                """
                {"key_id":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=","app_id":"A1B2C3D4E5.com.example",\
                "environment":"production","device_ref":null,"state":"quarantined","reason":"bad_request",\
                "since":"2026-09-21T14:13:20Z","attempts":2,"last_status":400,"last_trace_id":null,\
                "last_excerpt":null,"expiration_time":"2026-10-03T04:00:00Z","kept_answers":1,"hint":"the receipt may
                """))
    }

    @Test("what was released, dropped and judged again is said in a sentence or a table, and in one object")
    func quarantineChanges() {
        let released = QuarantineChangeReport(.released, keys: 3, isDryRun: true)
        #expect(released.text == "3 keys would be released, nothing was changed (--dry-run)\n")
        #expect(released.json == "{\"released\":3,\"dry_run\":true}\n")
        let dropped = QuarantineChangeReport(.dropped, keys: 3, answers: 2, isDryRun: false)
        #expect(dropped.text == "dropped 3 keys and 2 kept answers; their receipts are kept and not sent\n")
        #expect(dropped.json == "{\"dropped\":3,\"answers_removed\":2,\"dry_run\":false}\n")
        #expect(RecheckReport(RecheckCounts()).text == "no answers are kept\n")
        var counts = RecheckCounts()
        counts.judged = 5
        counts.replaced = 2
        counts.unverified = ["signature": 1, "chain": 1]
        counts.refused = ["23514": 1]
        counts.flagsOpened = 1
        #expect(
            RecheckReport(counts).json == """
                {"judged":5,"replaced":2,"superseded":0,"readings_outdated":0,"unverified":{"chain":1,"signature":1},\
                "refused":{"23514":1},"flags_opened":1,"flags_raised":0,"flags_lowered":0,"flags_cleared":0}

                """)
        #expect(RecheckReport(counts).text.contains("\nSQLSTATE 23514      1  verifies, refused by the database"))
    }

    @Test("status tells times with their distance and names replacements in both forms")
    func status() throws {
        var status = FleetStatus()
        status.fresh = 4
        status.oldestDue = Instant(seconds: 1_790_000_000 - 90_000)
        status.soonestExpiry = Instant(seconds: 1_790_000_000 + 3_700)
        let alert = OpenAlert(
            kind: "clock.skewed", cause: "database", message: "m", hint: "h",
            openedTime: Instant(seconds: 1_790_000_000 - 60), seenTime: Instant(seconds: 1_790_000_000 - 1))
        let report = StatusReport(
            status, alerts: [alert], replacements: ["trust anchors of receipts /r"],
            now: Instant(seconds: 1_790_000_000))
        #expect(report.text.contains("oldest due:     2026-09-20T13:13:20Z (1 d 1 h ago)\n"))
        #expect(report.text.contains("soonest expiry: 2026-09-21T15:15:00Z (in 1 h 1 min)\n"))
        #expect(report.text.contains("last run:       none yet\n"))
        #expect(report.text.hasSuffix("not Apple's: trust anchors of receipts /r\n"))
        let read = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
        #expect(read?["fresh"] as? Int == 4)
        #expect(read?["replacements"] as? [String] == ["trust anchors of receipts /r"])
        #expect(read?["last_run_end"] is NSNull)
        let table = """
            ALERT         CAUSE     SINCE                 MESSAGE  HINT
            clock.skewed  database  2026-09-21T14:12:20Z  m        h

            """
        #expect(report.text.contains("\n\n\(table)not Apple's"))
        #expect(
            read?["alerts"] as? [[String: String]] == [
                [
                    "kind": "clock.skewed", "cause": "database", "opened_time": "2026-09-21T14:12:20Z",
                    "seen_time": "2026-09-21T14:13:19Z", "message": "m", "hint": "h",
                ]
            ])
        let quiet = StatusReport(status, alerts: [], replacements: [], now: Instant(seconds: 1_790_000_000))
        #expect(!quiet.text.contains("ALERT"))
    }

    @Test("the progress line tells done, due, rate and time left")
    func progress() {
        #expect(Progress(due: 10, done: 0, elapsed: .zero).line == "\r0 of 10 done\u{1b}[K")
        let half = Progress(due: 100, done: 50, elapsed: .seconds(5))
        #expect(half.line == "\r50 of 100 done, 10 a second, 5 s left\u{1b}[K")
        let whole = Progress(due: 100, done: 100, elapsed: .seconds(5))
        #expect(whole.line == "\r100 of 100 done, 20 a second\u{1b}[K")
    }

    @Test(
        "times for people are to the second, rounded down",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (1_790_000_000_999_999, "2026-09-21T14:13:20Z"),
        ] as [(Int64, String)])
    func times(microseconds: Int64, text: String) {
        #expect(Instant(microseconds: microseconds).secondsText == text)
    }
}
