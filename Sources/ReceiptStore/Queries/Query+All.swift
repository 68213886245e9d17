import Postgres

extension Query {
    /// Every statement of this module that a migrated schema must be able to prepare.
    package static let all: [Query] = [
        .addFlags, .addKeys, .addReadings, .addReceipts, .addSchedule, .advanceReadings, .appliedMigrations,
        .backendProcess, .beginRun, .buryWorkers, .changeFlags, .checksum, .clearLeases, .countDue, .countWorkers,
        .demoteKeys, .dueReceipts, .dueShards, .endExpired, .finishRun, .flaggedDevices, .fleetStatus, .forgetAnswers,
        .keepAnswers, .keyStandings,
        .knownKeys, .lastRun, .levelOfKey, .lockMigrations, .lockShards, .migrationLedgerExists, .openFlags,
        .overtakenKeys, .postponeRefused, .raisePeaks, .receiptsOfKeys, .recordMigration, .removeWorker,
        .replaceReceipts, .signOfLife, .trimAnswers, .unlockMigrations, .writeLeases, .writeSchedule,
    ]
}
