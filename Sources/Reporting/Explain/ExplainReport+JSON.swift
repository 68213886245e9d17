import AppAttest
import Refresh

extension ExplainReport {
    /// One JSON object in a line.
    package var json: String {
        let value = JSONValue.object([
            "time": .string(explanation.now.rfc3339),
            "app_id": .string(record.appID.text),
            "environment": .string(record.environment.rawValue),
            "device_ref": .text(record.deviceRef),
            "key_count": .integer(record.keyCount),
            "level": .object([
                "level": .string(record.level.level),
                "risk_metric": .number(record.level.riskMetric),
                "metric_time": .text(record.level.metricTime?.rfc3339),
            ]),
            "flag": record.flag.map(json) ?? .null,
            "flag_events": .array(record.flagEvents.map(json)),
            "key": json(key),
            "window": .object([
                "opens": .string(explanation.window.opens.rfc3339),
                "last_tenth": .string(explanation.window.lastTenth.rfc3339),
                "closes": .string(explanation.window.closes.rfc3339),
            ]),
            "why": .object([
                "reason": .string(explanation.reason.word),
                "text": .string(
                    explanation.reason.sentence(explanation.cadence ?? .standard, key.schedule.quarantineReason)),
            ]),
            "run_now": .object([
                "step": .string(explanation.step.word),
                "text": .string(explanation.step.sentence(for: explanation)),
            ]),
            "readings": .array(
                record.readings.map {
                    .object(["creation_time": .string($0.time.rfc3339), "risk_metric": .integer($0.riskMetric)])
                }),
            "other_keys": .array(record.otherKeys.map(json)),
        ])
        return value.text + "\n"
    }

    private func json(_ flag: FlagRecord) -> JSONValue {
        .object([
            "level": .string(flag.level.rawValue),
            "peak_metric": .integer(flag.peakMetric),
            "opened_time": .string(flag.openedTime.rfc3339),
            "changed_time": .string(flag.changedTime.rfc3339),
        ])
    }

    private func json(_ event: FlagEvent) -> JSONValue {
        .object([
            "time": .string(event.time.rfc3339),
            "kind": .string(event.kind),
            "from_level": .text(event.fromLevel?.rawValue),
            "to_level": .text(event.toLevel?.rawValue),
            "risk_metric": .number(event.riskMetric),
            "key_id": .text(event.keyID?.base64),
            "actor": .string(event.actor),
            "verdict": .text(event.verdict),
            "note": .text(event.note),
        ])
    }

    private func json(_ key: KeyRecord) -> JSONValue {
        let (receipt, row, reply) = (key.receipt, key.schedule, key.reply)
        return .object([
            "key_id": .string(key.keyID.base64),
            "user_ref": .text(key.userRef),
            "newest": .bool(key.isNewest),
            "attested_time": .text(key.attestedTime?.rfc3339),
            "added_time": .string(key.addedTime.rfc3339),
            "receipt_type": .string(receipt.type.rawValue),
            "creation_time": .string(receipt.creationTime.rfc3339),
            "not_before": .text(receipt.notBefore?.rfc3339),
            "expiration_time": .string(receipt.expirationTime.rfc3339),
            "replaced_creation_time": .text(receipt.replacedCreationTime?.rfc3339),
            "token_changed_time": .text(receipt.tokenChangedTime?.rfc3339),
            "risk_metric": .number(receipt.riskMetric),
            "metric_time": .text(receipt.metricTime?.rfc3339),
            "state": .string(row.state.rawValue),
            "quarantine_reason": .text(row.quarantineReason?.rawValue),
            "due_time": .string(row.dueTime.rfc3339),
            "rank": .string(row.rank.word),
            "attempts": .integer(row.attempts),
            "failures": .integer(row.failures),
            "last_outcome": .text(row.lastOutcome?.rawValue),
            "last_outcome_time": .text(row.lastOutcomeTime?.rfc3339),
            "last_status": .number(reply.status),
            "last_server_date": .text(reply.date?.rfc3339),
            "last_trace_id": .text(reply.traceID),
            "last_span_id": .text(reply.spanID),
            "last_excerpt": .text(reply.excerpt),
            "kept_answers": .integer(key.keptAnswers),
        ])
    }
}
