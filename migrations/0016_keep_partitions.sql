-- Why: a month of readings has its partition before it begins, and goes as a whole when it is old. A worker's role owns
-- no table, so it calls the functions that do it.
-- Locks: none that anybody waits for; every object is new. What a call locks stands above each function.
-- Safe with the previous binary: yes, it calls neither.

SET LOCAL lock_timeout = '1s';

-- Makes the partitions of the month that `at` falls into and of the three after it, where they are missing, and gives
-- how many it made. Readings of those months that are in the default partition move, none is lost. Where nothing is
-- missing it looks up four names. Else one caller works at a time, and nobody writes readings meanwhile: who writes
-- them for over a second, or reads those of the default partition, makes it fail with 55P03.
CREATE FUNCTION attestwatch.make_partitions(at timestamptz DEFAULT clock_timestamp())
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
AS $$
DECLARE
    this_month constant timestamp := date_trunc('month', make_partitions.at AT TIME ZONE 'UTC');
    month timestamp;
    name text;
    -- ISO 8601, which reads the same whatever DateStyle and TimeZone are.
    first_instant text;
    end_instant text;
    made integer := 0;
BEGIN
    FOR month IN SELECT generate_series(this_month, this_month + interval '3 months', interval '1 month') LOOP
        name := 'metric_reading_' || to_char(month, 'YYYY_MM');
        CONTINUE WHEN to_regclass('attestwatch.' || name) IS NOT NULL;
        -- Who writes a reading waits here, and not at the default partition, where it would be refused (23514) once the
        -- month has a partition of its own.
        LOCK TABLE ONLY attestwatch.metric_reading IN SHARE ROW EXCLUSIVE MODE;
        -- Another caller may have made it while this one waited.
        CONTINUE WHEN to_regclass('attestwatch.' || name) IS NOT NULL;
        LOCK TABLE attestwatch.metric_reading_default IN ACCESS EXCLUSIVE MODE;
        first_instant := to_char(month, 'YYYY-MM-DD"T00:00:00Z"');
        end_instant := to_char(month + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"');
        EXECUTE format(
            'CREATE TABLE attestwatch.%I (LIKE attestwatch.metric_reading INCLUDING CONSTRAINTS INCLUDING INDEXES)',
            name);
        EXECUTE format(
            'WITH moved AS ('
            '    DELETE FROM attestwatch.metric_reading_default'
            '    WHERE creation_time >= %L AND creation_time < %L'
            '    RETURNING key_id, creation_time, risk_metric)'
            'INSERT INTO attestwatch.%I (key_id, creation_time, risk_metric)'
            'SELECT key_id, creation_time, risk_metric FROM moved', first_instant, end_instant, name);
        EXECUTE format(
            'ALTER TABLE attestwatch.metric_reading ATTACH PARTITION attestwatch.%I FOR VALUES FROM (%L) TO (%L)',
            name, first_instant, end_instant);
        made := made + 1;
    END LOOP;
    RETURN made;
END
$$;

-- Takes away the partitions of months that ended at `before` or earlier, and gives each with whether it is gone. A
-- month that ended less than 60 days ago by the database's clock is not among them, whatever is asked for: what
-- flags are judged by is younger. With `dry_run` they are given and stay. Each waits at most a second for those who read
-- or write readings just then, who wait behind it; after the first that cannot be had none is tried.
CREATE FUNCTION attestwatch.drop_partitions(before timestamptz, dry_run boolean DEFAULT false)
RETURNS TABLE (partition_name text, is_dropped boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
AS $$
DECLARE
    tries boolean := NOT drop_partitions.dry_run;
BEGIN
    FOR partition_name IN
        SELECT c.relname::text
        FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'attestwatch.metric_reading'::regclass
            AND c.relname ~ '^metric_reading_[0-9]{4}_[0-9]{2}$'
            AND (to_date(right(c.relname::text, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
                <= least(drop_partitions.before, clock_timestamp() - interval '60 days')
        ORDER BY 1
    LOOP
        is_dropped := false;
        IF tries THEN
            BEGIN
                EXECUTE format('DROP TABLE attestwatch.%I', partition_name);
                is_dropped := true;
            EXCEPTION
                WHEN lock_not_available THEN tries := false;
                -- Another caller has.
                WHEN undefined_table THEN CONTINUE;
            END;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION attestwatch.make_partitions(timestamptz) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION attestwatch.drop_partitions(timestamptz, boolean) FROM PUBLIC;
