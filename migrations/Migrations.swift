/// The migration files, compiled into the program so that an installed binary needs no folder beside it.
package let migrationFiles: [(name: String, text: [UInt8])] = [
    ("0001_create_schema.sql", PackageResources._001_create_schema_sql),
    ("0002_create_reports.sql", PackageResources._002_create_reports_sql),
    ("0003_create_workers.sql", PackageResources._003_create_workers_sql),
    ("0004_add_replayed_count.sql", PackageResources._004_add_replayed_count_sql),
]
