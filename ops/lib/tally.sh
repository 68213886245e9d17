# Counts what passed and failed, from the test runner's own report and from single checks. Sourced after common.sh.

passed=0
failed=0
skipped=0
faults=()

# check NAME COMMAND…: one check, silent unless it fails.
check() {
    local name=$1 log=$workspace/check.log
    shift
    say "checking: $name"
    if run "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        faults+=("$name")
        complain "FAILED: $name"
        tail -n 200 "$log" >&2
    fi
}

# Runs the Swift tests. A run that ends without its closing line, or whose report is missing, is one failure more.
run_suite() {
    local log=$workspace/tests.log report=$workspace/tests.xml status=0 count
    say "testing"
    run swift test -c release --skip-build --disable-xctest --xunit-output "$report" "$@" >"$log" 2>&1 || status=$?
    # What failed, and what the tests print of their own: seeds and counts. Lines of the runner's that only say how it
    # goes on are left out.
    grep -vE '^([◇✔➜↳]|Test Suite|\[)' "$log" || true
    if [ ! -s "$report" ] || ! grep -qE '^[✔✘] Test run with [0-9]+ tests?' "$log"; then
        tail -n 100 "$log" >&2
        failed=$((failed + 1))
        faults+=("the test runner ended without a report")
        return 0
    fi
    count=$(python3 "$root/ops/lib/count_tests.py" "$report")
    read -r suite_passed suite_failed suite_skipped <<<"$count"
    passed=$((passed + suite_passed))
    failed=$((failed + suite_failed))
    skipped=$((skipped + suite_skipped))
    if [ "$status" -ne 0 ] && [ "$suite_failed" -eq 0 ]; then
        tail -n 100 "$log" >&2
        failed=$((failed + 1))
        faults+=("the test runner ended with status $status")
    fi
}

# The closing line. A whole run must also reach the number in Tests/COUNT.
tally() {
    local floor reached=$((passed + skipped)) fault
    for fault in "${faults[@]}"; do complain "failed: $fault"; done
    if [ -z "$quick" ] && [ "${1:-}" != partial ]; then
        floor=$(<"$root/Tests/COUNT")
        if [ "$reached" -lt "$floor" ]; then
            complain "attestwatch: error: expected at least $floor tests (Tests/COUNT), found $reached"
            failed=$((failed + 1))
        fi
    fi
    if [ "$skipped" -gt 0 ]; then
        say "$skipped skipped for want of genuine receipts"
    fi
    say "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
