import Postgres

extension Query {
    /// Every statement of this module that a migrated schema must be able to prepare.
    package static let all: [Query] = [
        .addDataServer, .addFlags, .addKeys, .addReadings, .addReceipts, .addSchedule, .advanceReadings,
        .answeredServers, .appliedMigrations, .backendProcess, .backlog, .beginRun, .buryWorkers, .changeFlags,
        .checksum, .clearLeases, .closeAlerts, .countDue, .countQuarantined, .countWorkers, .databaseBirth,
        .databaseClock, .databaseState, .demoteKeys, .dropKeys, .dueReceipts, .dueShards, .endExpired, .finishRun,
        .flagEventsOfSubject, .flaggedDevices, .flagOfSubject, .fleetStatus, .forgetAnswers, .keepAnswers, .keptAnswers,
        .keysOfSubject, .keyStandings, .knownKeys, .lastEndedRun, .lastRun, .lateReceipts, .latestRun, .levelOfKey,
        .listQuarantined, .lockBudget, .lockMigrations, .lockShards, .migrationLedgerExists, .noteAnswered, .openAlerts,
        .openAlertsLocked, .openFlags, .overtakenKeys, .postponeRefused, .quarantinedReceipts, .raisePeaks,
        .readingsOfKey, .receiptsOfKeys, .recordMigration, .releaseKeys, .removeAnswers, .removeAnswersOfKeys,
        .removeWorker, .replaceReceipts, .runExists, .signOfLife, .someQuarantined, .subjectOfKey, .subjectsOfDevice,
        .surveyBacklog, .surveyGroups, .surveyHours, .surveyStates, .trimAnswers, .tryWriting, .unlockMigrations,
        .writeAlerts, .writeBudget, .writeLeases, .writeSchedule,
    ]
}
