-- Makes the roles that attestwatch gives its rights to. It needs CREATEROLE, so where 'attestwatch migrate' may not do
-- it, an administrator of the cluster does, in whichever database, as often as they like; then 'attestwatch migrate',
-- run again, gives the roles their rights. None of them can log in: grant them to logins of your own.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['attestwatch_worker', 'attestwatch_backend', 'attestwatch_analyst'] LOOP
        IF pg_catalog.to_regrole(wanted) IS NULL THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                -- Roles belong to the whole cluster, and another database's migration was faster.
                NULL;
            END;
        END IF;
    END LOOP;
END
$$;
