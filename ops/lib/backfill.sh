# Measures back-fills: `attestwatch ingest` of one file with many new keys, and of its first tenth. Sourced after
# common.sh, postgres.sh and simulator.sh; `binaries`, `files` and `app` are set.

# mint_rows N FILE: so many rows of as many devices, minted in parts, as the simulator holds in memory what it mints.
mint_rows() {
    local left=$1 part=0 count
    while [ "$left" -gt 0 ]; do
        count=$((left < 25000 ? left : 25000))
        "$binaries/data-server-simulator" mint --directory "$files" --devices "$count" --app-id "$app" \
            --environment production --suffix part
        # Each part numbers its devices from one.
        sed "s/\"device_ref\":\"device-/&$part-/" "$files/intake-part.ndjson" >>"$2"
        rm "$files/intake-part.ndjson" "$files/population-part.jsonl"
        left=$((left - count))
        part=$((part + 1))
    done
}

# measure_backfill FILE RESULT: into a database of its own; what it took goes to RESULT.
measure_backfill() {
    local before
    dropdb --if-exists "$PGDATABASE" 2>>"$workspace/ingest.log"
    createdb "$PGDATABASE"
    "$binaries/attestwatch" migrate >"$workspace/migrate.log"
    before=$(postgres_cpu_milliseconds)
    "$binaries/attestwatch-bench" ingest "$1" --spread 7d >"$2" 2>"$workspace/ingest.log" ||
        { cat "$workspace/ingest.log" >&2; exit 1; }
    say "{\"postgres_milliseconds\":$(($(postgres_cpu_milliseconds) - before))}" >>"$2"
}

# backfill ROWS RUNS FORM: mints, measures each size so many times, and prints what came out.
backfill() {
    local rows=$1 runs=$2 form=$3 run
    complain "minting $rows rows"
    mint_rows "$rows" "$files/many.ndjson"
    head -n "$((rows / 10))" "$files/many.ndjson" >"$files/few.ndjson"
    # The simulator writes the file of its root and the signing keys of its apps when it begins; nothing is asked of it.
    "$binaries/data-server-simulator" mint --directory "$files" --devices 1 --app-id "$app" --environment production
    start_simulator "$files" --population "$files/population.jsonl"
    write_configuration "$files/ready.json" "$files/attestwatch.json5" "$app"
    tidy_simulator "$files"
    export ATTESTWATCH_CONFIG=$files/attestwatch.json5
    for ((run = 1; run <= runs; run++)); do
        complain "taking in $((rows / 10)) rows, and $rows rows: run $run of $runs"
        measure_backfill "$files/few.ndjson" "$files/few-$run.json"
        measure_backfill "$files/many.ndjson" "$files/many-$run.json"
    done
    python3 "$root/ops/lib/backfill_report.py" "$form" "$rows" "$files"/few-*.json -- "$files"/many-*.json
}
