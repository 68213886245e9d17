/// The migration files, compiled into the program so that an installed binary needs no folder beside it.
package let migrationFiles: [(name: String, text: [UInt8])] = [
    ("0001_create_schema.sql", PackageResources._001_create_schema_sql)
]
