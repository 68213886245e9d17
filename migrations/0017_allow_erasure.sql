-- Why: to erase a user or a device without reading every key and every flag, and to say of a flag that it ended with
-- its last key, not with a lower reading.
-- Locks: SHARE on attested_key and on flag while each is read once, about a second for a million keys: intake waits
-- for that. ACCESS EXCLUSIVE on flag_event while its rows are read once.
-- Safe with the previous binary: yes, it writes no such event and shows it by its word.

SET LOCAL lock_timeout = '1s';

-- Serves: the keys of a user, when they are erased.
CREATE INDEX attested_key_user ON attestwatch.attested_key (user_ref) WHERE user_ref IS NOT NULL;
-- Serves: all flags a subject ever had: its history, and its erasure.
CREATE INDEX flag_subject ON attestwatch.flag (subject);

ALTER TABLE attestwatch.flag_event
    DROP CONSTRAINT flag_event_kind_known,
    DROP CONSTRAINT flag_event_cleared_to_nothing,
    ADD CONSTRAINT flag_event_kind_known
        CHECK (kind IN ('opened', 'raised', 'lowered', 'cleared', 'reviewed', 'erased')),
    ADD CONSTRAINT flag_event_closed_to_nothing CHECK ((kind IN ('cleared', 'erased')) = (to_level IS NULL));
