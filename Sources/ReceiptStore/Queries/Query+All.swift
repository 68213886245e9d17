import Postgres

extension Query {
    /// Every statement of this module that a migrated schema must be able to prepare.
    package static let all: [Query] = [
        .addFlags, .addKeys, .addReadings, .addReceipts, .addSchedule, .advanceReadings, .appliedMigrations,
        .backendProcess, .beginRun, .buryWorkers, .changeFlags, .checksum, .clearLeases, .countDue, .countQuarantined,
        .countWorkers, .databaseClock, .databaseState, .demoteKeys, .dropKeys, .dueReceipts, .dueShards, .endExpired,
        .finishRun, .flagEventsOfSubject, .flagOfSubject, .flaggedDevices, .fleetStatus, .forgetAnswers, .keepAnswers,
        .keptAnswers, .keyStandings, .keysOfSubject, .knownKeys, .lastRun, .levelOfKey, .listQuarantined,
        .lockMigrations, .lockShards, .migrationLedgerExists, .openFlags, .overtakenKeys, .postponeRefused,
        .raisePeaks, .readingsOfKey, .receiptsOfKeys, .recordMigration, .releaseKeys, .removeAnswers,
        .removeAnswersOfKeys, .removeWorker, .replaceReceipts, .signOfLife, .someQuarantined, .subjectOfKey,
        .subjectsOfDevice, .trimAnswers, .tryWriting, .unlockMigrations, .writeLeases, .writeSchedule,
    ]
}
