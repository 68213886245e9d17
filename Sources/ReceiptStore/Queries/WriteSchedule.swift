import Postgres

extension Query {
    /// $1…$14 arrays, one member a key that was tried. The expiration time is that of the stored receipt. A row that
    /// was held, or that the data server did not answer, was not tried: the fault may be ours.
    static let writeSchedule = Query(
        name: "write_schedule",
        sql: """
            UPDATE attestwatch.schedule s
            SET rank = w.rank,
                due_time = w.due_time,
                expiration_time = r.expiration_time,
                expired_try_time = CASE
                    WHEN r.expiration_time > w.last_outcome_time THEN NULL
                    WHEN w.last_status IS NULL OR w.last_outcome = 'held' THEN s.expired_try_time
                    ELSE coalesce(s.expired_try_time, w.last_outcome_time)
                END,
                state = w.state,
                quarantine_reason = w.quarantine_reason,
                attempts = w.attempts,
                failures = w.failures,
                last_outcome = w.last_outcome,
                last_outcome_time = w.last_outcome_time,
                last_status = w.last_status,
                last_server_date = w.last_server_date,
                last_trace_id = w.last_trace_id,
                last_span_id = w.last_span_id,
                last_excerpt = w.last_excerpt
            FROM unnest(
                $1::bytea[], $2::bigint[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                $8::text[], $9::timestamptz[], $10::bigint[], $11::timestamptz[], $12::text[], $13::text[], $14::text[]
            ) AS w (
                key_id, rank, due_time, state, quarantine_reason, attempts, failures,
                last_outcome, last_outcome_time, last_status, last_server_date,
                last_trace_id, last_span_id, last_excerpt)
            JOIN attestwatch.receipt r ON r.key_id = w.key_id
            WHERE s.key_id = w.key_id
            """)
}
