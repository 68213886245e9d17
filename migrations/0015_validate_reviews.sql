-- Why: the rules of the last migration are to be known to hold for all rows.
-- Locks: SHARE UPDATE EXCLUSIVE on flag_event while it is read; reads and writes go on.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

ALTER TABLE attestwatch.flag_event VALIDATE CONSTRAINT flag_event_kind_known;
ALTER TABLE attestwatch.flag_event VALIDATE CONSTRAINT flag_event_verdict_known;
ALTER TABLE attestwatch.flag_event VALIDATE CONSTRAINT flag_event_review_has_verdict;
ALTER TABLE attestwatch.flag_event VALIDATE CONSTRAINT flag_event_review_keeps_level;
ALTER TABLE attestwatch.flag_event VALIDATE CONSTRAINT flag_event_note_length;
