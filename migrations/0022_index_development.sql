-- Why: a run asks for what is due in either environment, also where there is nothing; without an index that costs a
-- look at every key, five times a run.
-- Locks: SHARE on attested_key while it is read once, about half a second for a million keys; writes wait for that.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

-- Serves: due rows. Most fleets are in production, so that the index is small; one that is not has no other rows that
-- would have to be passed over.
CREATE INDEX attested_key_in_development ON attestwatch.attested_key (key_id) WHERE environment = 'development';
