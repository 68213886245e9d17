import Postgres

extension Query {
    /// Every statement of this module that a migrated schema must be able to prepare.
    package static let all: [Query] = [
        .addFlags, .addKeys, .addReadings, .addReceipts, .addSchedule, .advanceReadings, .appliedMigrations,
        .backendProcess, .beginRun, .buryWorkers, .changeFlags, .checksum, .clearLeases, .countDue, .countWorkers,
        .demoteKeys, .dueReceipts, .dueShards, .endExpired, .finishRun, .flagEventsOfSubject, .flaggedDevices,
        .flagOfSubject, .fleetStatus, .forgetAnswers, .keepAnswers, .keysOfSubject, .keyStandings, .knownKeys,
        .lastRun, .levelOfKey, .lockMigrations, .lockShards, .migrationLedgerExists, .openFlags, .overtakenKeys,
        .postponeRefused, .raisePeaks, .readingsOfKey, .receiptsOfKeys, .recordMigration, .removeWorker,
        .replaceReceipts, .signOfLife, .subjectOfKey, .subjectsOfDevice, .trimAnswers, .unlockMigrations,
        .writeLeases, .writeSchedule,
    ]
}
