# Shared by the scripts of ops: where things are, how they speak, and how they leave nothing behind.
# Sourced, never run.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '%s\n' "$*"; }
complain() { printf '%s\n' "$*" >&2; }

# What leaves this machine is refused: the proxy is a port where nobody listens, and only loopback goes around it.
# No test, demo or benchmark can reach a real data server.
refuse_the_outside() {
    export http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 all_proxy=http://127.0.0.1:9
    export HTTP_PROXY=$http_proxy HTTPS_PROXY=$https_proxy ALL_PROXY=$all_proxy
    export no_proxy=localhost,127.0.0.1,::1 NO_PROXY=localhost,127.0.0.1,::1
}

# A folder of this run's own, where all that is started puts its files; it goes when the script ends, however it ends.
make_workspace() {
    workspace=$(mktemp -d "${TMPDIR:-/tmp}/attestwatch.XXXXXX")
    chmod 0755 "$workspace"
    export TMPDIR=$workspace/tmp
    mkdir -m 1777 "$TMPDIR"
    trap 'clean_up' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    trap 'exit 129' HUP
}

# Process groups that were started and have not been waited for.
groups=()

# start COMMAND…: in the background, in a process group of its own; sets `started` to the group.
start() {
    set -m
    "$@" </dev/null &
    started=$!
    set +m
    groups+=("$started")
}

# run COMMAND…: like start, and waits; a signal to the script interrupts the waiting and clean_up ends the group.
run() {
    local status=0
    start "$@"
    wait "$started" || status=$?
    forget "$started"
    return "$status"
}

# stop GROUP: asks the group to end and waits for its leader.
stop() {
    kill -TERM -- "-$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
    forget "$1"
}

forget() {
    local kept=() group
    for group in "${groups[@]}"; do [ "$group" = "$1" ] || kept+=("$group"); done
    groups=("${kept[@]}")
}

clean_up() {
    local status=$? group tries
    trap '' INT TERM HUP
    set +e
    for group in "${groups[@]}"; do kill -TERM -- "-$group" 2>/dev/null; done
    for group in "${groups[@]}"; do
        # Ten seconds to end well, then no more asking.
        for ((tries = 0; tries < 100; tries++)); do kill -0 -- "-$group" 2>/dev/null || break; sleep 0.1; done
        kill -KILL -- "-$group" 2>/dev/null
        wait "$group" 2>/dev/null
    done
    [ "$(type -t stop_postgres)" = function ] && stop_postgres
    [ -n "${workspace:-}" ] && rm -rf "$workspace"
    exit "$status"
}
