-- Why: what back ends call to hand a receipt over, to learn what became of it, and to ask for a level by a key's text.
-- Locks: none that anybody waits for; every object is new, but for how key_level is planned.
-- Safe with the previous binary: yes.

SET LOCAL lock_timeout = '1s';

-- The bytes of a key identifier in base64 or base64url, with or without padding and white space, or in hexadecimal,
-- with or without a leading \x; null for all other text. No text can be read in two ways: 64 digits as base64 are 48
-- bytes.
CREATE FUNCTION attestwatch.key_id_of(text text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    digits text := rtrim(translate(text, E'-_ \t\r\n', '+/'), '=');
BEGIN
    CASE
        WHEN text ~ '^(\\x)?[0-9A-Fa-f]{64}$' THEN
            RETURN decode(right(text, 64), 'hex');
        -- 43 digits are 32 bytes and two bits.
        WHEN digits ~ '^[A-Za-z0-9+/]{43}$' THEN
            RETURN decode(digits || '=', 'base64');
        ELSE
            RETURN NULL;
    END CASE;
END
$$;

-- The bytes of a receipt in base64 of any flavour, or in hexadecimal behind \x. Text that says none, since a receipt
-- begins with 0x30, stays what it is, as UTF-8: a run says what is wrong with it.
CREATE FUNCTION attestwatch.receipt_of(text text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    digits text;
    octets bytea;
BEGIN
    -- Too long for a receipt, whatever it says.
    IF octet_length(text) > 196608 THEN
        RETURN convert_to(text, 'UTF8');
    END IF;
    BEGIN
        IF left(text, 2) = '\x' THEN
            octets := decode(substr(text, 3), 'hex');
        ELSE
            digits := rtrim(translate(text, E'-_ \t\r\n', '+/'), '=');
            octets := decode(rpad(digits, (length(digits) + 3) / 4 * 4, '='), 'base64');
        END IF;
    EXCEPTION
        WHEN data_exception THEN
            octets := '';
    END;
    RETURN CASE WHEN substr(octets, 1, 1) = '\x30' THEN octets ELSE convert_to(text, 'UTF8') END;
END
$$;

-- Why a submission can never be one, as expected and found; null where it may be. Says nothing of the receipt's
-- contents, and repeats none of them.
CREATE FUNCTION attestwatch.submission_fault(
    app_id text, key_id bytea, receipt_length integer, environment text, device_ref text, user_ref text,
    attested_time timestamptz, at timestamptz)
RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN (app_id COLLATE "C" ~ '^[A-Z0-9]{10}[.][!-~]+$' AND octet_length(app_id) <= 255) IS NOT TRUE THEN
            'app_id: expected an App ID such as A1B2C3D4E5.com.example.app, found '
                || coalesce('another text of ' || octet_length(app_id) || ' bytes', 'null')
        WHEN (octet_length(key_id) = 32) IS NOT TRUE THEN
            'key_id: expected 32 bytes, or text that says them in base64, base64url or hexadecimal, found '
                || coalesce(octet_length(key_id) || ' bytes', 'null or another text')
        WHEN (receipt_length BETWEEN 1 AND 98304) IS NOT TRUE THEN
            'receipt: expected 1 to 98304 bytes, found ' || coalesce(receipt_length::text, 'null')
        WHEN environment NOT IN ('production', 'development') THEN
            'environment: expected production, development or null, found another text of '
                || octet_length(environment) || ' bytes'
        WHEN NOT octet_length(device_ref) BETWEEN 1 AND 512 THEN
            'device_ref: expected 1 to 512 bytes or null, found ' || octet_length(device_ref)
        WHEN NOT octet_length(user_ref) BETWEEN 1 AND 512 THEN
            'user_ref: expected 1 to 512 bytes or null, found ' || octet_length(user_ref)
        WHEN attested_time > at + interval '24 hours' OR attested_time < '1970-01-01 00:00:00Z' THEN
            'attested_time: expected a time since 1970 and no more than a day after now, ' || at || ', found '
                || attested_time
        WHEN (at BETWEEN '1970-01-01 00:00:00Z' AND '9999-12-31 00:00:00Z') IS NOT TRUE THEN
            'at: expected a time from 1970 to 9999, found ' || coalesce(at::text, 'null')
    END
$$;

-- What became of the newest submission of a key: always one row. The first that holds:
--   pending        a receipt of it waits for the next run
--   rejected       the newest one was not taken in: reason is a word, detail says what was expected and found
--   taken_in       the key is on record; submitted_time is null where its receipts came another way
--   not_on_record  none of these
-- decided_time is when a run decided; null while none has.
CREATE FUNCTION attestwatch.submission(key_id bytea)
RETURNS TABLE (
    state text, reason text, detail text, submitted_time timestamptz, decided_time timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT found.state, found.reason, found.detail, found.submitted_time, found.decided_time
    FROM (
        SELECT 1 AS place, i.submitted_time AS time, 'pending' AS state, NULL AS reason, NULL AS detail,
            i.submitted_time, NULL::timestamptz AS decided_time
        FROM attestwatch.intake i
        WHERE i.key_id = submission.key_id
        UNION ALL
        SELECT 2, r.submitted_time, 'rejected', r.reason, r.detail, r.submitted_time, r.rejected_time
        FROM attestwatch.intake_rejected r
        WHERE r.key_id = submission.key_id
        UNION ALL
        SELECT 2, coalesce(k.submitted_time, k.added_time), 'taken_in', NULL, NULL, k.submitted_time,
            coalesce(k.taken_in_time, k.added_time)
        FROM attestwatch.attested_key k
        WHERE k.key_id = submission.key_id
        UNION ALL
        SELECT 3, NULL, 'not_on_record', NULL, NULL, NULL, NULL
    ) AS found
    ORDER BY found.place, found.time DESC, found.state
    LIMIT 1
$$;

CREATE FUNCTION attestwatch.submission(key_id text)
RETURNS TABLE (
    state text, reason text, detail text, submitted_time timestamptz, decided_time timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT state, reason, detail, submitted_time, decided_time
    FROM attestwatch.submission(attestwatch.key_id_of(submission.key_id))
$$;

-- Hands a receipt over, in the caller's own transaction, and gives the state that submission() tells then. It verifies
-- nothing. The same call again changes nothing; one whose receipt was rejected has it tried again. Of several calls
-- with the same receipt that wait, the first one's references stand.
--
-- Raises 22023 where the values can never be a submission.
CREATE FUNCTION attestwatch.submit_receipt(
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
BEGIN
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = fault;
    END IF;
    DELETE FROM attestwatch.intake_rejected r
    WHERE r.key_id = submit_receipt.key_id AND r.digest = handed_over;
    IF NOT FOUND THEN
        state := (SELECT s.state FROM attestwatch.submission(submit_receipt.key_id) AS s);
        IF state IN ('pending', 'taken_in') AND EXISTS (
            SELECT
            FROM attestwatch.attested_key k
            LEFT JOIN attestwatch.receipt r ON r.key_id = k.key_id
            WHERE k.key_id = submit_receipt.key_id AND k.app_id = submit_receipt.app_id
                AND k.environment = coalesce(submit_receipt.environment, k.environment)
                AND (k.submitted_digest = handed_over OR r.digest = handed_over)
        ) THEN
            RETURN state;
        END IF;
    END IF;
    INSERT INTO attestwatch.intake (
        key_id, app_id, environment, attested_time, submitted_time, device_ref, user_ref, receipt)
    VALUES (
        submit_receipt.key_id, submit_receipt.app_id, submit_receipt.environment, submit_receipt.attested_time,
        submit_receipt.at, submit_receipt.device_ref, submit_receipt.user_ref, submit_receipt.receipt)
    ON CONFLICT (key_id, digest) DO NOTHING;
    RETURN 'pending';
END
$$;

CREATE FUNCTION attestwatch.submit_receipt(
    app_id text, key_id text, receipt bytea, environment text DEFAULT NULL, device_ref text DEFAULT NULL,
    user_ref text DEFAULT NULL, attested_time timestamptz DEFAULT NULL, at timestamptz DEFAULT clock_timestamp())
RETURNS text
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT attestwatch.submit_receipt(
        app_id, attestwatch.key_id_of(key_id), receipt, environment, device_ref, user_ref, attested_time, at)
$$;

CREATE FUNCTION attestwatch.submit_receipt(
    app_id text, key_id bytea, receipt text, environment text DEFAULT NULL, device_ref text DEFAULT NULL,
    user_ref text DEFAULT NULL, attested_time timestamptz DEFAULT NULL, at timestamptz DEFAULT clock_timestamp())
RETURNS text
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT attestwatch.submit_receipt(
        app_id, key_id, attestwatch.receipt_of(receipt), environment, device_ref, user_ref, attested_time, at)
$$;

CREATE FUNCTION attestwatch.submit_receipt(
    app_id text, key_id text, receipt text, environment text DEFAULT NULL, device_ref text DEFAULT NULL,
    user_ref text DEFAULT NULL, attested_time timestamptz DEFAULT NULL, at timestamptz DEFAULT clock_timestamp())
RETURNS text
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT attestwatch.submit_receipt(
        app_id, attestwatch.key_id_of(key_id), attestwatch.receipt_of(receipt), environment, device_ref, user_ref,
        attested_time, at)
$$;

-- The same level as by the key's bytes; text that is no key identifier is of none on record.
CREATE FUNCTION attestwatch.key_level(key_id text, at timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (level text, risk_metric integer, metric_time timestamptz, flag_level text)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT level, risk_metric, metric_time, flag_level
    FROM attestwatch.key_level(attestwatch.key_id_of(key_level.key_id), key_level.at)
$$;

-- Before a table is analyzed for the first time the planner would rather read all of it than look keys up; a level is
-- asked for while somebody waits.
ALTER FUNCTION attestwatch.key_level(bytea, timestamptz) SET enable_seqscan = off;
ALTER FUNCTION attestwatch.key_level(bytea, timestamptz) SET enable_hashjoin = off;
ALTER FUNCTION attestwatch.key_level(bytea, timestamptz) SET enable_mergejoin = off;
ALTER FUNCTION attestwatch.key_level(bytea, timestamptz) SET jit = off;

REVOKE EXECUTE ON FUNCTION attestwatch.key_id_of(text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.receipt_of(text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.submission_fault(
    text, bytea, integer, text, text, text, timestamptz, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.submission(bytea) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.submission(text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.submit_receipt(
    text, bytea, bytea, text, text, text, timestamptz, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.submit_receipt(
    text, text, bytea, text, text, text, timestamptz, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.submit_receipt(
    text, bytea, text, text, text, text, timestamptz, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.submit_receipt(
    text, text, text, text, text, text, timestamptz, timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.key_level(text, timestamptz) FROM PUBLIC;
