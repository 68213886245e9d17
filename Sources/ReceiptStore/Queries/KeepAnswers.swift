import Postgres

// Answers that were not believed, as long as they are of use.
extension Query {
    /// $1…$7 arrays, one member an answer. Gives the keys of those that are kept: not
    /// of keys that are erased or have a newer receipt, nor of answers that are kept already.
    static let keepAnswers = Query(
        name: "keep_answers",
        sql: """
            INSERT INTO attestwatch.kept_answer (
                key_id, received_time, server_date, sent_creation_time, sent_digest, fault, bytes)
            SELECT a.key_id, a.received_time, a.server_date, a.sent_creation_time, a.sent_digest, a.fault, a.bytes
            FROM unnest(
                $1::bytea[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::bytea[], $6::text[],
                $7::bytea[]
            ) AS a (key_id, received_time, server_date, sent_creation_time, sent_digest, fault, bytes)
            JOIN attestwatch.receipt r ON r.key_id = a.key_id
            WHERE r.creation_time <= a.sent_creation_time
                AND NOT EXISTS (
                    SELECT FROM attestwatch.kept_answer k WHERE k.key_id = a.key_id AND k.bytes = a.bytes)
            RETURNING key_id
            """)

    /// $1 how many stay: the newest. A row that another transaction is about to take away is left to it.
    static let boundAnswers = Query(
        name: "bound_answers",
        sql: """
            DELETE FROM attestwatch.kept_answer
            WHERE answer_id IN (
                SELECT answer_id
                FROM attestwatch.kept_answer
                WHERE answer_id <= (
                    SELECT answer_id FROM attestwatch.kept_answer ORDER BY answer_id DESC OFFSET $1 LIMIT 1)
                FOR UPDATE SKIP LOCKED)
            """)

    /// $1 keys, $2 how many of each stay: the newest.
    static let trimAnswers = Query(
        name: "trim_answers",
        sql: """
            DELETE FROM attestwatch.kept_answer a
            WHERE a.key_id = ANY ($1::bytea[])
                AND a.answer_id < (
                    SELECT n.answer_id
                    FROM attestwatch.kept_answer n
                    WHERE n.key_id = a.key_id
                    ORDER BY n.answer_id DESC
                    OFFSET $2 - 1
                    LIMIT 1)
            """)

    /// $1 keys: those of their answers go that came to an older receipt than is stored now.
    static let forgetAnswers = Query(
        name: "forget_answers",
        sql: """
            DELETE FROM attestwatch.kept_answer a
            USING attestwatch.receipt r
            WHERE a.key_id = ANY ($1::bytea[])
                AND r.key_id = a.key_id
                AND a.sent_creation_time < r.creation_time
            """)

    /// $1 key after which to go on, or empty; $2 how many keys; $3 keys, or none for whichever; $4 reason or null;
    /// $5 and $6 the times from which and before which an answer came, or null; $7 app or null. All answers of each
    /// key that has one of these, in the order in which they came.
    static let keptAnswers = Query(
        name: "kept_answers",
        sql: """
            SELECT a.answer_id, a.key_id, k.app_id, k.environment, a.received_time, a.server_date, a.sent_digest,
                a.sent_creation_time, a.bytes
            FROM attestwatch.kept_answer a
            JOIN attestwatch.attested_key k ON k.key_id = a.key_id
            WHERE a.key_id IN (
                SELECT one.key_id
                FROM attestwatch.kept_answer one
                JOIN attestwatch.attested_key ok ON ok.key_id = one.key_id
                JOIN attestwatch.schedule s ON s.key_id = one.key_id
                WHERE one.key_id > $1
                    AND (cardinality($3::bytea[]) = 0 OR one.key_id = ANY ($3))
                    AND ($4::text IS NULL OR s.quarantine_reason = $4)
                    AND ($5::timestamptz IS NULL OR one.received_time >= $5)
                    AND ($6::timestamptz IS NULL OR one.received_time < $6)
                    AND ($7::text IS NULL OR ok.app_id = $7)
                GROUP BY one.key_id
                ORDER BY one.key_id
                LIMIT $2)
            ORDER BY a.key_id, a.answer_id
            """)

    /// $1 answers.
    static let removeAnswers = Query(
        name: "remove_answers", sql: "DELETE FROM attestwatch.kept_answer WHERE answer_id = ANY ($1::bigint[])")

    /// $1 keys: all of their answers.
    static let removeAnswersOfKeys = Query(
        name: "remove_answers_of_keys", sql: "DELETE FROM attestwatch.kept_answer WHERE key_id = ANY ($1::bytea[])")
}
