-- Why: a person may give up a receipt that waits for one; it is kept, and never sent again.
-- Locks: ACCESS EXCLUSIVE on schedule for an instant; no row is read (NOT VALID), the next migration does that.
-- Safe with the previous binary: yes, as long as nothing is dropped.

SET LOCAL lock_timeout = '1s';

ALTER TABLE attestwatch.schedule
    DROP CONSTRAINT schedule_state_known,
    DROP CONSTRAINT schedule_quarantine_has_reason,
    ADD CONSTRAINT schedule_state_known
        CHECK (state IN ('active', 'quiet', 'quarantined', 'dropped', 'retired', 'lost')) NOT VALID,
    ADD CONSTRAINT schedule_quarantine_has_reason
        CHECK ((state IN ('quarantined', 'dropped')) = (quarantine_reason IS NOT NULL)) NOT VALID;
