/// Statements that give a database a clock of its own, which comes before the server's for every session from then on.
func databaseClock(moved offset: String) -> String {
    """
    CREATE SCHEMA moved;
    CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS $$ SELECT pg_catalog.clock_timestamp() + interval '\(offset)' $$;
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = moved, pg_catalog', current_database()); END $$
    """
}

/// Statements that put it right again.
let databaseClockPutRight = """
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET search_path', current_database()); END $$
    """
