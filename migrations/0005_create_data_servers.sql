-- Why: one budget for all workers, and to know whether what answers under a URL has ever shown that it is a data server.
-- Locks: none that anybody waits for; every object is new.
-- Safe with the previous binary: yes, but that one keeps to no shared budget, so let no two versions run side by side.

SET LOCAL lock_timeout = '1s';

-- A data server as its workers share it. All times but answered_time are about elapsed time: clock_timestamp(), never a
-- parameter.
CREATE TABLE attestwatch.data_server (
    url text COLLATE "C" NOT NULL,
    -- Requests a second at present: the setting, or less after a 429.
    rate double precision,
    rated_time timestamptz,
    -- Up to here the times at which requests may leave are handed out; each has gone to one worker.
    granted_until timestamptz,
    -- When the rate was last cut; a 429 to a request that left before says nothing new.
    cut_time timestamptz,
    paused_until timestamptz,
    -- When it first gave a receipt that verifies, or a 304.
    answered_time timestamptz,
    CONSTRAINT data_server_pkey PRIMARY KEY (url),
    CONSTRAINT data_server_rate_positive CHECK (rate > 0),
    CONSTRAINT data_server_rate_has_its_time CHECK ((rate IS NULL) = (rated_time IS NULL))
);
