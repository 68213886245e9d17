-- Why: a receipt that was handed over under a wrong app or environment waited for ever, as the call that says them
-- right changed nothing; a user who is named by a later call was dropped, so that an erasure by that name missed the
-- key; and a row of a back-fill that was rejected lost its spread when it was handed over again.
-- Locks: none that anybody waits for.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

-- Hands a receipt over, in the caller's own transaction, and gives the state that submission() tells then. It verifies
-- nothing. The same call again changes nothing; one whose receipt was rejected has it tried again, with
-- the spread that it had as part of a back-fill. Of several calls with the same receipt that wait, the last one's app
-- and environment stand, and the first references that were named; a user is also named to a key on record that has
-- none.
--
-- Raises 22023 where the values can never be a submission.
CREATE OR REPLACE FUNCTION attestwatch.submit_receipt(
    app_id text, key_id bytea, receipt bytea, environment text DEFAULT NULL, device_ref text DEFAULT NULL,
    user_ref text DEFAULT NULL, attested_time timestamptz DEFAULT NULL, at timestamptz DEFAULT clock_timestamp())
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    fault text := attestwatch.submission_fault(
        app_id, key_id, octet_length(receipt), environment, device_ref, user_ref, attested_time, at);
    handed_over bytea := sha256(receipt);
    state text;
    rejected_spread interval;
BEGIN
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = fault;
    END IF;
    DELETE FROM attestwatch.intake_rejected r
    WHERE r.key_id = submit_receipt.key_id AND r.digest = handed_over
    RETURNING r.spread INTO rejected_spread;
    IF NOT FOUND THEN
        state := (SELECT s.state FROM attestwatch.submission(submit_receipt.key_id) AS s);
        IF state IN ('pending', 'taken_in') AND EXISTS (
            SELECT
            FROM attestwatch.attested_key k
            LEFT JOIN attestwatch.receipt r ON r.key_id = k.key_id
            WHERE k.key_id = submit_receipt.key_id AND k.app_id = submit_receipt.app_id
                AND k.environment = coalesce(submit_receipt.environment, k.environment)
                AND (k.submitted_digest = handed_over OR r.digest = handed_over)
                -- Who asks for erasure by a user's name is to find the key.
                AND (submit_receipt.user_ref IS NULL OR k.user_ref IS NOT NULL)
        ) AND NOT EXISTS (
            SELECT
            FROM attestwatch.intake i
            WHERE i.key_id = submit_receipt.key_id AND i.digest = handed_over
        ) THEN
            RETURN state;
        END IF;
    END IF;
    INSERT INTO attestwatch.intake AS i (
        key_id, app_id, environment, attested_time, submitted_time, device_ref, user_ref, receipt, spread)
    VALUES (
        submit_receipt.key_id, submit_receipt.app_id, submit_receipt.environment, submit_receipt.attested_time,
        submit_receipt.at, submit_receipt.device_ref, submit_receipt.user_ref, submit_receipt.receipt,
        rejected_spread)
    ON CONFLICT (key_id, digest) DO UPDATE
    -- A new number: what a run has read of the row and is judging is not what it says now.
    SET intake_id = DEFAULT, app_id = excluded.app_id,
        environment = coalesce(excluded.environment, i.environment),
        attested_time = coalesce(excluded.attested_time, i.attested_time), submitted_time = excluded.submitted_time,
        device_ref = coalesce(i.device_ref, excluded.device_ref), user_ref = coalesce(i.user_ref, excluded.user_ref)
    WHERE i.app_id <> excluded.app_id OR i.environment IS DISTINCT FROM coalesce(excluded.environment, i.environment)
        OR (i.device_ref IS NULL AND excluded.device_ref IS NOT NULL)
        OR (i.user_ref IS NULL AND excluded.user_ref IS NOT NULL);
    RETURN 'pending';
END
$$;
