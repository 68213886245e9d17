-- Why: how many subjects of an app are flagged decides how often each is read; a batch must not read all flags for it.
-- Locks: SHARE on flag while it is read once; it has a row for each flag ever opened.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

-- Serves: the count of an app's open flags, up to a bound.
CREATE INDEX flag_open_of_app ON attestwatch.flag (app_id) WHERE closed_time IS NULL;
