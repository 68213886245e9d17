-- A back end in plain SQL that keeps App Attest receipts in a table of its own.
--
--   psql CONNINFO -v ON_ERROR_STOP=1 -At -v folder=DIRECTORY -f back_end.sql                submits
--   psql CONNINFO -v ON_ERROR_STOP=1 -At -v folder=DIRECTORY -v time=TIME -f back_end.sql   asks
--
-- DIRECTORY holds intake.ndjson, a key a line as `attestwatch ingest` takes it. Asked, it prints one JSON object a
-- line: the key, what became of its submission, and its level at the time.

\cd :folder
CREATE TEMPORARY TABLE line (number bigint GENERATED ALWAYS AS IDENTITY, line jsonb NOT NULL);
\copy line (line) FROM 'intake.ndjson'

\if :{?time}
    SELECT json_build_object(
        'key_id', line ->> 'key_id', 'device_ref', line ->> 'device_ref', 'state', s.state, 'reason', s.reason,
        'level', l.level, 'risk_metric', l.risk_metric, 'flag_level', l.flag_level)
    FROM line
    CROSS JOIN LATERAL attestwatch.submission(line ->> 'key_id') AS s
    CROSS JOIN LATERAL attestwatch.key_level(decode(line ->> 'key_id', 'base64'), :'time') AS l
    ORDER BY number;
    \quit
\endif

CREATE TABLE enrolment (
    key_id text PRIMARY KEY, app_id text NOT NULL, environment text NOT NULL, device_ref text NOT NULL,
    user_ref text NOT NULL, attested_time timestamptz NOT NULL, receipt text NOT NULL);

-- Something of the back end's own goes wrong behind the submission: both are undone.
BEGIN;
INSERT INTO enrolment SELECT one.* FROM line, jsonb_populate_record(NULL::enrolment, line) AS one;
SELECT DISTINCT attestwatch.submit_receipt(e.app_id, e.key_id, e.receipt) FROM enrolment e;
ROLLBACK;
SELECT DISTINCT s.state, (SELECT count(*) FROM enrolment)
FROM line
CROSS JOIN LATERAL attestwatch.submission(line ->> 'key_id') AS s;

-- The first half as text, as it came from the app; the others as bytes.
BEGIN;
INSERT INTO enrolment SELECT one.* FROM line, jsonb_populate_record(NULL::enrolment, line) AS one;
SELECT DISTINCT attestwatch.submit_receipt(
    e.app_id, e.key_id, e.receipt, environment => e.environment, device_ref => e.device_ref, user_ref => e.user_ref,
    attested_time => e.attested_time)
FROM enrolment e
JOIN line ON line ->> 'key_id' = e.key_id
WHERE number <= (SELECT count(*) / 2 FROM line);
COMMIT;
SELECT DISTINCT attestwatch.submit_receipt(
    e.app_id, decode(e.key_id, 'base64'), decode(e.receipt, 'base64'), e.environment, e.device_ref, e.user_ref,
    e.attested_time)
FROM enrolment e
JOIN line ON line ->> 'key_id' = e.key_id
WHERE number > (SELECT count(*) / 2 FROM line);
SELECT DISTINCT s.state, (SELECT count(*) FROM enrolment)
FROM line
CROSS JOIN LATERAL attestwatch.submission(decode(line ->> 'key_id', 'base64')) AS s;
