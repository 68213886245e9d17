-- Why: the rules of the last migration are to be known to hold for all rows.
-- Locks: SHARE UPDATE EXCLUSIVE on schedule while it is read once; reads and writes go on.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

ALTER TABLE attestwatch.schedule VALIDATE CONSTRAINT schedule_state_known;
ALTER TABLE attestwatch.schedule VALIDATE CONSTRAINT schedule_quarantine_has_reason;
