import Postgres

// What it takes to erase keys, under the locks of all shards.
extension Query {
    /// $1 user or null, $2 subjects, $3 key or null, $4 app or null: the keys on record of any of them, and the subject
    /// of each. A key without a user is of the one whom a receipt names that was handed over again and waits.
    static let keysToErase = Query(
        name: "keys_to_erase",
        sql: """
            SELECT key_id, subject
            FROM attestwatch.attested_key
            WHERE (user_ref = $1 OR subject = ANY ($2::text[]) OR key_id = $3::bytea
                    OR user_ref IS NULL
                        AND key_id = ANY (ARRAY(SELECT i.key_id FROM attestwatch.intake i WHERE i.user_ref = $1)))
                AND ($4::text IS NULL OR app_id = $4)
            """)

    /// $1 user or null, $2 device or null, $3 key or null, $4 app or null: the keys of receipts that were handed over
    /// for any of them, and are not on record.
    static let submissionsToErase = Query(
        name: "submissions_to_erase",
        sql: """
            SELECT DISTINCT h.key_id
            FROM (
                SELECT key_id, app_id, device_ref, user_ref FROM attestwatch.intake
                UNION ALL
                SELECT key_id, app_id, device_ref, user_ref FROM attestwatch.intake_rejected
            ) AS h
            WHERE (h.user_ref = $1 OR h.device_ref = $2 OR h.key_id = $3::bytea)
                AND ($4::text IS NULL OR h.app_id = $4)
                AND NOT EXISTS (SELECT FROM attestwatch.attested_key k WHERE k.key_id = h.key_id)
            """)

    /// $1 keys, $2 user or null, $3 device or null, $4 app or null: whoever works on these waits. A run that takes a
    /// submission in has it locked before the shards, so an erasure does too.
    static let lockSubmissions = Query(
        name: "lock_submissions",
        sql: "SELECT FROM attestwatch.intake WHERE \(submitted) ORDER BY intake_id FOR UPDATE")

    /// $1 keys, $2 user or null, $3 device or null, $4 app or null: likewise, for a back end that hands one over again.
    static let lockRejections = Query(
        name: "lock_rejections",
        sql: "SELECT FROM attestwatch.intake_rejected WHERE \(submitted) ORDER BY key_id, digest FOR UPDATE")

    // $1 keys, $2 user or null, $3 device or null, $4 app or null. Of another's key what was handed over under this
    // name goes too.
    private static let submitted = """
        key_id = ANY ($1::bytea[]) OR (user_ref = $2 OR device_ref = $3) AND ($4::text IS NULL OR app_id = $4)
        """

    /// $1 keys, $2 user or null, $3 device or null, $4 app or null.
    static let eraseSubmissions = Query(
        name: "erase_submissions", sql: "DELETE FROM attestwatch.intake WHERE \(submitted)")

    /// $1 keys, $2 user or null, $3 device or null, $4 app or null.
    static let eraseRejections = Query(
        name: "erase_rejections", sql: "DELETE FROM attestwatch.intake_rejected WHERE \(submitted)")

    /// $1 subjects: those that still have a key.
    static let subjectsLeft = Query(
        name: "subjects_left",
        sql: "SELECT DISTINCT subject FROM attestwatch.attested_key WHERE subject = ANY ($1::text[])")

    /// $1 keys.
    static let eraseSchedule = Query(
        name: "erase_schedule", sql: "DELETE FROM attestwatch.schedule WHERE key_id = ANY ($1::bytea[])")

    /// $1 keys.
    static let eraseReceipts = Query(
        name: "erase_receipts", sql: "DELETE FROM attestwatch.receipt WHERE key_id = ANY ($1::bytea[])")

    /// $1 keys.
    static let eraseKeys = Query(
        name: "erase_keys", sql: "DELETE FROM attestwatch.attested_key WHERE key_id = ANY ($1::bytea[])")

    /// $1 keys: their readings of all months.
    static let eraseReadings = Query(
        name: "erase_readings", sql: "DELETE FROM attestwatch.metric_reading WHERE key_id = ANY ($1::bytea[])")

    /// $1 subjects without a key, $2 now: their open flags end, with an event that says why.
    static let closeErasedFlags = Query(
        name: "close_erased_flags",
        sql: """
            WITH closed AS (
                UPDATE attestwatch.flag
                SET version = version + 1, changed_time = $2::timestamptz, closed_time = $2::timestamptz
                WHERE subject = ANY ($1::text[]) AND closed_time IS NULL
                RETURNING flag_id, level
            )
            INSERT INTO attestwatch.flag_event (flag_id, event_time, kind, from_level, actor)
            SELECT flag_id, $2::timestamptz, 'erased', level, 'attestwatch'
            FROM closed
            """)

    /// $1 subjects without a key, $2 subjects that have others, $3 erased keys, $4 the name that was erased or null:
    /// events of the first lose key and note; events of the second lose them where they are of such a key, and a note
    /// that has the name in it, or such a key in hexadecimal, base64 or base64url.
    static let strikeEvents = Query(
        name: "strike_events",
        sql: """
            UPDATE attestwatch.flag_event e
            SET key_id = CASE WHEN f.subject = ANY ($1::text[]) OR e.key_id = ANY ($3::bytea[]) THEN NULL ELSE e.key_id
                END,
                note = NULL
            FROM attestwatch.flag f
            WHERE f.subject = ANY ($1::text[] || $2::text[])
                AND e.flag_id = f.flag_id
                AND (e.key_id IS NOT NULL OR e.note IS NOT NULL)
                AND (f.subject = ANY ($1)
                    OR e.key_id = ANY ($3)
                    OR strpos(e.note, $4::text) > 0
                    OR e.note IS NOT NULL AND EXISTS (
                        SELECT
                        FROM unnest($3) AS k (key_id)
                        CROSS JOIN LATERAL (VALUES (rtrim(encode(k.key_id, 'base64'), '='))) AS b (text)
                        WHERE strpos(lower(e.note), encode(k.key_id, 'hex')) > 0
                            OR strpos(e.note, b.text) > 0
                            OR strpos(e.note, translate(b.text, '+/', '-_')) > 0))
            """)

    /// $1 erased names, $2 app or null: in notes on whichever flag they stand for themselves no more. A shorter name is
    /// a word or a number like any other, and stays.
    static let strikeNamesInNotes = Query(
        name: "strike_names_in_notes",
        sql: """
            UPDATE attestwatch.flag_event e
            SET note = left(regexp_replace(e.note, names.pattern, '[erased]', 'g'), 1000)
            FROM attestwatch.flag f
            CROSS JOIN (
                SELECT '(?<![[:alnum:]_-])(?:'
                    || string_agg(regexp_replace(one.name, '([^[:alnum:]])', '\\\\\\1', 'g'), '|')
                    || ')(?![[:alnum:]_-])' AS pattern
                FROM unnest($1::text[]) AS one (name)
                WHERE char_length(one.name) >= 4
            ) AS names
            WHERE f.flag_id = e.flag_id
                AND e.note IS NOT NULL
                AND ($2::text IS NULL OR f.app_id = $2)
                AND e.note ~ names.pattern
            """)

    /// $1 erased keys: notes on whichever flag that name one, in hexadecimal, base64 or base64url.
    static let strikeNotesOfKeys = Query(
        name: "strike_notes_of_keys",
        sql: """
            UPDATE attestwatch.flag_event e
            SET note = NULL
            WHERE e.note IS NOT NULL
                AND EXISTS (
                    SELECT
                    FROM regexp_matches(e.note, '[0-9A-Fa-f]{64}|[A-Za-z0-9+/_-]{43}', 'g') AS word (match)
                    WHERE attestwatch.key_id_of(word.match[1]) = ANY ($1::bytea[]))
            """)

    /// $1 subjects without a key: their flags, open once or not, are of nobody any more. What stands there instead is
    /// drawn for each, so it leads nowhere.
    static let strikeFlags = Query(
        name: "strike_flags",
        sql: """
            UPDATE attestwatch.flag
            SET subject = 'erased:' || gen_random_uuid()
            WHERE subject = ANY ($1::text[])
            """)

    /// $1 subjects: the newest key of each.
    static let newestKeys = Query(
        name: "newest_keys",
        sql: """
            SELECT DISTINCT ON (subject) key_id
            FROM attestwatch.attested_key
            WHERE subject = ANY ($1::text[])
            ORDER BY subject, coalesce(attested_time, added_time) DESC, key_id DESC
            """)

    /// $1 keys, $2 ranks, $3 due times: those that were older keys of their device are read as its newest from here on.
    static let promoteKeys = Query(
        name: "promote_keys",
        sql: """
            UPDATE attestwatch.schedule s
            SET rank = w.rank, due_time = least(s.due_time, w.due_time)
            FROM unnest($1::bytea[], $2::bigint[], $3::timestamptz[]) AS w (key_id, rank, due_time)
            WHERE s.key_id = w.key_id
                AND s.rank = 4
                AND s.state IN ('active', 'quiet')
            """)
}
