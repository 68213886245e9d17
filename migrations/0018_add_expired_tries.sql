-- Why: an expired receipt is lost after a week of tries that were answered, not after one that came late or never left;
-- and a loss is told of by whichever run ends next.
-- Locks: schedule, for as long as two columns without defaults and an index over lost rows take.
-- Safe with the previous binary: yes, it leaves both columns null, and what it ends is not told of.

SET LOCAL lock_timeout = '1s';

ALTER TABLE attestwatch.schedule
    -- When the data server first answered a try that came after the expiration time; null while none did.
    ADD COLUMN expired_try_time timestamptz,
    -- When the row became retired or lost, for the last time.
    ADD COLUMN ended_time timestamptz;

-- Serves: the receipts lost lately, at the end of every run.
CREATE INDEX schedule_lost ON attestwatch.schedule (ended_time) WHERE state = 'lost';
