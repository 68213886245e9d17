-- Why: what waits for a person is listed, released and dropped by reason and date, without reading every key.
-- Locks: SHARE on schedule while it is read once, about a second for a million keys; writes wait for that.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

-- Serves: what waits for a person, and what was given up.
CREATE INDEX schedule_quarantined ON attestwatch.schedule (quarantine_reason, last_outcome_time)
    WHERE state IN ('quarantined', 'dropped');
