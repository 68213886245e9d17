import Postgres

extension Query {
    /// Every statement of this module that a migrated schema must be able to prepare.
    package static let all: [Query] = [
        .addFlags, .addKeys, .addReadings, .addReceipts, .addSchedule, .advanceReadings, .appliedMigrations,
        .backendProcess, .beginRun, .changeFlags, .checksum, .countDue, .demoteKeys, .dueReceipts, .endExpired,
        .finishRun, .flaggedDevices, .fleetStatus, .keyStandings, .knownKeys, .lastRun, .levelOfKey, .lockMigrations,
        .lockShards, .migrationLedgerExists, .openFlags, .overtakenKeys, .postponeRefused, .receiptsOfKeys, .raisePeaks,
        .recordMigration, .replaceReceipts, .unlockMigrations, .writeSchedule,
    ]
}
