/// The migration files, compiled into the program so that an installed binary needs no folder beside it.
package let migrationFiles: [(name: String, text: [UInt8])] = [
    ("0001_create_schema.sql", PackageResources._001_create_schema_sql),
    ("0002_create_reports.sql", PackageResources._002_create_reports_sql),
    ("0003_create_workers.sql", PackageResources._003_create_workers_sql),
    ("0004_add_replayed_count.sql", PackageResources._004_add_replayed_count_sql),
    ("0005_create_data_servers.sql", PackageResources._005_create_data_servers_sql),
    ("0006_create_kept_answers.sql", PackageResources._006_create_kept_answers_sql),
    ("0007_create_alerts.sql", PackageResources._007_create_alerts_sql),
    ("0008_allow_dropped.sql", PackageResources._008_allow_dropped_sql),
    ("0009_validate_schedule.sql", PackageResources._009_validate_schedule_sql),
    ("0010_index_quarantined.sql", PackageResources._010_index_quarantined_sql),
    ("0011_index_flags_of_app.sql", PackageResources._011_index_flags_of_app_sql),
    ("0012_create_intake.sql", PackageResources._012_create_intake_sql),
    ("0013_create_submission.sql", PackageResources._013_create_submission_sql),
    ("0014_create_reviews.sql", PackageResources._014_create_reviews_sql),
    ("0015_validate_reviews.sql", PackageResources._015_validate_reviews_sql),
    ("0016_keep_partitions.sql", PackageResources._016_keep_partitions_sql),
    ("0017_allow_erasure.sql", PackageResources._017_allow_erasure_sql),
    ("0018_add_expired_tries.sql", PackageResources._018_add_expired_tries_sql),
    ("0019_keep_speaking_keys.sql", PackageResources._019_keep_speaking_keys_sql),
    ("0020_index_notes.sql", PackageResources._020_index_notes_sql),
    ("0021_correct_submissions.sql", PackageResources._021_correct_submissions_sql),
    ("0022_index_development.sql", PackageResources._022_index_development_sql),
]

/// Makes the roles; needs the right to make roles.
package let rolesScript: (name: String, text: [UInt8]) = ("roles.sql", PackageResources.roles_sql)

/// Gives the roles that there are their rights; needs to own the schema, with every migration applied.
package let grantsScript: (name: String, text: [UInt8]) = ("grants.sql", PackageResources.grants_sql)
