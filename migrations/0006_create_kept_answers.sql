-- Why: an answer that does not verify may be good, and this program wrong: a mended one can judge it again.
-- Locks: none that anybody waits for; every object is new.
-- Safe with the previous binary: yes, it keeps none.

SET LOCAL lock_timeout = '1s';

-- A 200 whose body was not believed, with what is needed to judge it once more. It may be a receipt, so it is as secret
-- as one. Bounded by the program: a few a key, and a few thousand in all.
CREATE TABLE attestwatch.kept_answer (
    answer_id bigint GENERATED ALWAYS AS IDENTITY,
    key_id bytea NOT NULL,
    received_time timestamptz NOT NULL,
    server_date timestamptz,
    sent_creation_time timestamptz NOT NULL,
    sent_digest bytea NOT NULL,
    -- The failed step's word.
    fault text NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT kept_answer_pkey PRIMARY KEY (answer_id),
    CONSTRAINT kept_answer_of_attested_key FOREIGN KEY (key_id)
        REFERENCES attestwatch.attested_key (key_id) ON DELETE CASCADE,
    CONSTRAINT kept_answer_digest_is_sha256 CHECK (octet_length(sent_digest) = 32),
    CONSTRAINT kept_answer_size CHECK (octet_length(bytes) <= 65536)
);

ALTER TABLE attestwatch.kept_answer ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Serves: the answers of a key, when one more is kept and when it is replaced or erased.
CREATE INDEX kept_answer_key ON attestwatch.kept_answer (key_id, answer_id);
