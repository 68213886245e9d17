import Postgres

extension Query {
    /// $1 apps, $2 for each a bound: how many of its subjects are flagged, counted up to the bound.
    static let countFlags = Query(
        name: "count_flags",
        sql: """
            SELECT app.app_id, counted.flags
            FROM unnest($1::text[], $2::bigint[]) AS app (app_id, most)
            CROSS JOIN LATERAL (
                SELECT count(*) AS flags
                FROM (
                    SELECT FROM attestwatch.flag f
                    WHERE f.app_id = app.app_id AND f.closed_time IS NULL
                    LIMIT app.most
                ) AS found
            ) AS counted
            """)
}
