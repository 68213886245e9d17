import Postgres

// The ledger of applied migration files, the lock that one migrator holds at a time, and what it may do about roles.
extension Query {
    /// The server process of this session.
    static let backendProcess = Query(name: "backend_process", sql: "SELECT pg_backend_pid()")

    /// Waits for another migrator. The number is "attestwa" in ASCII.
    static let lockMigrations = Query(
        name: "lock_migrations", sql: "SELECT pg_advisory_lock(x'6174746573747761'::bigint)::text")

    /// Lets the next migrator in.
    static let unlockMigrations = Query(
        name: "unlock_migrations", sql: "SELECT pg_advisory_unlock(x'6174746573747761'::bigint)")

    /// Whether anything was ever migrated here.
    static let migrationLedgerExists = Query(
        name: "migration_ledger_exists",
        sql: "SELECT pg_catalog.to_regclass('attestwatch.schema_migration') IS NOT NULL")

    /// Makes the schema, where there is none, and the ledger in it.
    static let createMigrationLedger = Query(
        name: "create_migration_ledger",
        sql: """
            DO $$
            BEGIN
                IF pg_catalog.to_regnamespace('attestwatch') IS NULL THEN
                    CREATE SCHEMA attestwatch;
                END IF;
            END
            $$;
            CREATE TABLE attestwatch.schema_migration (
                name text COLLATE "C" NOT NULL,
                checksum text NOT NULL,
                applied_time timestamptz NOT NULL DEFAULT clock_timestamp(),
                CONSTRAINT schema_migration_pkey PRIMARY KEY (name)
            )
            """)

    /// What was applied, in order, with the checksums of then.
    static let appliedMigrations = Query(
        name: "applied_migrations",
        sql: "SELECT name, checksum FROM attestwatch.schema_migration ORDER BY name")

    /// $1 a file's bytes: their SHA-256 in hex.
    static let checksum = Query(name: "checksum", sql: "SELECT encode(sha256($1), 'hex')")

    /// $1 name, $2 bytes of a file just applied.
    static let recordMigration = Query(
        name: "record_migration",
        sql: """
            INSERT INTO attestwatch.schema_migration (name, checksum)
            VALUES ($1, encode(sha256($2), 'hex'))
            """)

    /// Takes the part of the schema's owner until the transaction ends, so that an administrator who migrates makes
    /// nothing that is an administrator's: functions that run with their owner's rights among it.
    static let actAsOwner = Query(
        name: "act_as_owner",
        sql: """
            SELECT pg_catalog.set_config('role', r.rolname, true)
            FROM pg_catalog.pg_namespace n
            JOIN pg_catalog.pg_roles r ON r.oid = n.nspowner
            WHERE n.nspname = 'attestwatch' AND r.rolname <> current_user
                AND pg_catalog.pg_has_role(r.oid, 'MEMBER')
            """)

    /// Whether this login owns the schema, and whether it may make roles.
    static let rightsOfMigrator = Query(
        name: "rights_of_migrator",
        sql: """
            SELECT pg_has_role(n.nspowner, 'USAGE'), r.rolsuper OR r.rolcreaterole
            FROM pg_namespace n
            CROSS JOIN pg_roles r
            WHERE n.nspname = 'attestwatch' AND r.rolname = current_user
            """)

    /// $1 roles: those that there are none of.
    static let missingRoles = Query(
        name: "missing_roles",
        sql: "SELECT wanted.role FROM unnest($1::text[]) AS wanted (role) WHERE to_regrole(wanted.role) IS NULL")
}
