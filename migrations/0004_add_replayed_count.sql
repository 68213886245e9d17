-- Why: a run's counts are kept, and the answers that it stored from the journal of an earlier run were missing.
-- Locks: ACCESS EXCLUSIVE on refresh_run for an instant; a constant default rewrites no row (PostgreSQL 11 and later).
-- Safe with the previous binary: yes; it leaves the count at 0.

SET LOCAL lock_timeout = '1s';

ALTER TABLE attestwatch.refresh_run ADD COLUMN replayed integer NOT NULL DEFAULT 0;
