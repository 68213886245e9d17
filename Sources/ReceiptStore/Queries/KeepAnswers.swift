import Postgres

// Answers that were not believed, as long as they are of use.
extension Query {
    /// $1…$7 arrays, one member an answer; $8 how many there may be in all. Gives the keys of those that are kept: not
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
            LIMIT greatest(0, $8 - (SELECT count(*) FROM (SELECT FROM attestwatch.kept_answer LIMIT $8) AS counted))
            RETURNING key_id
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
}
