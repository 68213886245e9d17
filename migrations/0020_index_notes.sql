-- Why: to erase a name from what people have noted without reading every event of every flag.
-- Locks: SHARE on flag_event while it is read once: what runs store with a change of a flag waits for that.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

-- Serves: the notes, when a name or a key in them is erased.
CREATE INDEX flag_event_note ON attestwatch.flag_event (event_id) WHERE note IS NOT NULL;
