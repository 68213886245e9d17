import Postgres

extension Query {
    /// Every statement of this module that a migrated schema must be able to prepare.
    package static let all: [Query] = [
        .addFlags, .addKeys, .addReadings, .addReceipts, .addSchedule, .advanceReadings, .appliedMigrations,
        .backendProcess, .beginRun, .buryWorkers, .changeFlags, .checksum, .clearLeases, .countDue, .countQuarantined,
        .countWorkers, .databaseClock, .databaseState, .demoteKeys, .dropKeys, .dueReceipts, .dueShards, .endExpired,
        .finishRun, .flagEventsOfSubject, .flaggedDevices, .flagOfSubject, .fleetStatus, .forgetAnswers, .keepAnswers,
        .keptAnswers, .keysOfSubject, .keyStandings, .knownKeys, .lastRun, .levelOfKey, .listQuarantined,
        .lockMigrations, .lockShards, .migrationLedgerExists, .openFlags, .overtakenKeys, .postponeRefused,
        .raisePeaks, .readingsOfKey, .receiptsOfKeys, .recordMigration, .releaseKeys, .removeAnswers,
        .removeAnswersOfKeys, .removeWorker, .replaceReceipts, .signOfLife, .someQuarantined, .subjectOfKey,
        .subjectsOfDevice, .surveyBacklog, .surveyGroups, .surveyHours, .surveyStates, .trimAnswers, .tryWriting,
        .unlockMigrations, .writeLeases, .writeSchedule,
    ]
}
