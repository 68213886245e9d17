-- Why: to know how many workers share the shards, before one that holds none of them can be given its part.
-- Locks: none that anybody waits for; every object is new.
-- Safe with the previous binary: yes, but that one takes no leases, so let no two versions run side by side.

SET LOCAL lock_timeout = '1s';

-- A worker that is at work, or was until it died: until_time is about elapsed time, clock_timestamp(), never a
-- parameter. Who has ended in good order has no row.
CREATE TABLE attestwatch.worker (
    owner uuid NOT NULL,
    until_time timestamptz NOT NULL,
    CONSTRAINT worker_pkey PRIMARY KEY (owner)
);
