-- Turns the three tables that grow with the number of keys, attested_key, receipt and schedule, into hash partitions
-- by key_id, for a fleet whose tables have outgrown what vacuum, indexes or one disk can bear. Nothing else changes:
-- names, columns, rules, indexes, foreign keys and rights are as before, and every command works as it did.
--
--   psql -d DATABASE -v ON_ERROR_STOP=1 -v partitions=16 -f ops/sql/partition-by-key.sql
--
-- Run it once, as the owner of the schema, while no run and no back end is at work: the rows are copied in one
-- transaction under ACCESS EXCLUSIVE locks (count on some minutes a million keys, and on twice the space meanwhile). It
-- gives up after ten seconds where somebody holds a table, and leaves everything as it was if anything fails.
--
-- All of a key's rows go to the partition of the same number, since the three hash the same value. What is not
-- partitioned, and why:
--   metric_reading           is, by month: its history is dropped by the month
--   kept_answer              bounded by the program to some thousand rows; its number, answer_id, has to be unique over
--                            all of them, which partitions by key_id could not hold
--   flag, flag_event, alert  about subjects and faults, not keys, and few; one open flag a subject and one open alert a
--                            cause have to be unique over all of them
--   speaking_key             few rows, of devices with many keys alone
--   everything else          a few rows
--
-- Afterwards: autovacuum looks after the partitions but never analyzes a partitioned table as a whole, so let
-- 'ANALYZE attestwatch.attested_key, attestwatch.receipt, attestwatch.schedule' run once a week. Storage settings such
-- as fillfactor stand on the partitions.

\if :{?partitions}
\else
    \set partitions 16
\endif

BEGIN;
SET LOCAL lock_timeout = '10s';
SELECT set_config('attestwatch.partitions', :'partitions', true) AS partitions;

DO $$
DECLARE
    grown CONSTANT text[] := ARRAY['attested_key', 'receipt', 'schedule'];
    count CONSTANT integer := current_setting('attestwatch.partitions')::integer;
    wanted text;
    refused text;
    restore text[] := '{}';
    links text[];
    settings text;
    columns text;
    statement text;
BEGIN
    IF count NOT BETWEEN 2 AND 1024 THEN
        RAISE EXCEPTION 'expected 2 to 1024 partitions, found %', count;
    END IF;
    FOREACH wanted IN ARRAY grown LOOP
        IF (SELECT relkind FROM pg_class WHERE oid = to_regclass('attestwatch.' || wanted)) IS DISTINCT FROM 'r' THEN
            RAISE EXCEPTION 'expected attestwatch.% to be a table without partitions', wanted;
        END IF;
    END LOOP;
    -- What is made anew belongs to whom it belonged to, whoever runs this.
    EXECUTE (
        SELECT format('SET LOCAL ROLE %s', relowner::regrole)
        FROM pg_class
        WHERE oid = 'attestwatch.receipt'::regclass);
    LOCK TABLE attestwatch.attested_key, attestwatch.receipt, attestwatch.schedule IN ACCESS EXCLUSIVE MODE;

    -- A later migration may have brought what partitions by key_id cannot hold.
    SELECT string_agg(i.indexrelid::regclass::text, ', ')
    INTO refused
    FROM pg_index i
    WHERE i.indrelid = ANY (SELECT ('attestwatch.' || name)::regclass FROM unnest(grown) AS name)
        AND (i.indisunique OR i.indisexclusion)
        AND NOT EXISTS (
            SELECT FROM pg_attribute a
            WHERE a.attrelid = i.indrelid AND a.attname = 'key_id' AND a.attnum = ANY (i.indkey::int2[]));
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'expected every unique index to contain key_id, found %', refused;
    END IF;
    SELECT string_agg(t.tgname, ', ')
    INTO refused
    FROM pg_trigger t
    WHERE NOT t.tgisinternal
        AND t.tgrelid = ANY (SELECT ('attestwatch.' || name)::regclass FROM unnest(grown) AS name);
    IF refused IS NOT NULL THEN
        RAISE EXCEPTION 'expected no trigger that this script does not know, found %', refused;
    END IF;

    -- Foreign keys from and to the three come off first and on again last.
    SELECT array_agg(
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', f.conrelid::regclass, f.conname, pg_get_constraintdef(f.oid))
        ORDER BY f.conname)
    INTO links
    FROM pg_constraint f
    WHERE f.contype = 'f'
        AND (f.conrelid = ANY (SELECT ('attestwatch.' || name)::regclass FROM unnest(grown) AS name)
            OR f.confrelid = ANY (SELECT ('attestwatch.' || name)::regclass FROM unnest(grown) AS name));
    FOR statement IN
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', f.conrelid::regclass, f.conname)
        FROM pg_constraint f
        WHERE f.contype = 'f'
            AND (f.conrelid = ANY (SELECT ('attestwatch.' || name)::regclass FROM unnest(grown) AS name)
                OR f.confrelid = ANY (SELECT ('attestwatch.' || name)::regclass FROM unnest(grown) AS name))
    LOOP
        EXECUTE statement;
    END LOOP;

    FOREACH wanted IN ARRAY grown LOOP
        -- What LIKE does not copy: keys and indexes, by their definitions, which say the table's name; rights.
        SELECT coalesce(array_agg(one.statement ORDER BY one.place, one.statement), '{}')
        INTO restore
        FROM (
            SELECT 1 AS place, format(
                'ALTER TABLE attestwatch.%I ADD CONSTRAINT %I %s', wanted, k.conname, pg_get_constraintdef(k.oid))
                AS statement
            FROM pg_constraint k
            WHERE k.conrelid = ('attestwatch.' || wanted)::regclass AND k.contype IN ('p', 'u')
            UNION ALL
            SELECT 2, pg_get_indexdef(i.indexrelid)
            FROM pg_index i
            WHERE i.indrelid = ('attestwatch.' || wanted)::regclass
                AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))
            UNION ALL
            SELECT 3, format(
                'GRANT %s ON attestwatch.%I TO %s%s', acl.privilege_type, wanted,
                CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END,
                CASE WHEN acl.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
            FROM pg_class c
            CROSS JOIN LATERAL aclexplode(c.relacl) AS acl
            WHERE c.oid = ('attestwatch.' || wanted)::regclass AND acl.grantee <> c.relowner
        ) AS one;
        SELECT coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '')
        INTO settings
        FROM pg_class c
        WHERE c.oid = ('attestwatch.' || wanted)::regclass;
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
        INTO columns
        FROM pg_attribute a
        WHERE a.attrelid = ('attestwatch.' || wanted)::regclass
            AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '';

        EXECUTE format('ALTER TABLE attestwatch.%I RENAME TO %I', wanted, wanted || '_whole');
        EXECUTE format(
            'CREATE TABLE attestwatch.%I (LIKE attestwatch.%I INCLUDING COMMENTS INCLUDING CONSTRAINTS '
            'INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY INCLUDING STORAGE) PARTITION BY HASH (key_id)',
            wanted, wanted || '_whole');
        FOR remainder IN 0..count - 1 LOOP
            EXECUTE format(
                'CREATE TABLE attestwatch.%I PARTITION OF attestwatch.%I FOR VALUES WITH (MODULUS %s, REMAINDER %s)%s',
                format('%s_%s', wanted, lpad(remainder::text, 4, '0')), wanted, count, remainder, settings);
        END LOOP;
        EXECUTE format(
            'INSERT INTO attestwatch.%I (%s) SELECT %s FROM attestwatch.%I', wanted, columns, columns,
            wanted || '_whole');
        EXECUTE format('DROP TABLE attestwatch.%I', wanted || '_whole');
        FOREACH statement IN ARRAY restore LOOP
            EXECUTE statement;
        END LOOP;
    END LOOP;

    FOREACH statement IN ARRAY links LOOP
        EXECUTE statement;
    END LOOP;
END
$$;

ANALYZE attestwatch.attested_key, attestwatch.receipt, attestwatch.schedule;
COMMIT;
