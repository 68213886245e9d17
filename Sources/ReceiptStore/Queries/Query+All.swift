import Postgres

extension Query {
    /// Every statement of this module that a migrated schema must be able to prepare.
    package static let all: [Query] = [
        .addFlags, .addKeys, .addReadings, .addReceipts, .addSchedule, .advanceReadings, .appliedMigrations,
        .backendProcess, .beginRun, .buryWorkers, .changeFlags, .checksum, .clearLeases, .countDue, .countWorkers,
        .databaseClock, .databaseState, .demoteKeys, .dueReceipts, .dueShards, .endExpired, .finishRun,
        .flagEventsOfSubject, .flagOfSubject, .flaggedDevices, .fleetStatus, .forgetAnswers, .keepAnswers,
        .keyStandings, .keysOfSubject, .knownKeys, .lastRun, .levelOfKey, .lockMigrations, .lockShards,
        .migrationLedgerExists, .openFlags, .overtakenKeys, .postponeRefused, .raisePeaks, .readingsOfKey,
        .receiptsOfKeys, .recordMigration, .removeWorker, .replaceReceipts, .signOfLife, .subjectOfKey,
        .subjectsOfDevice, .trimAnswers, .tryWriting, .unlockMigrations, .writeLeases, .writeSchedule,
    ]
}
