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

# Sessions that were started and have not been waited for. A session, because compilers make process groups of their own.
sessions=()

# start COMMAND…: in the background, in a session of its own; sets `started` to it.
start() {
    setsid "$@" </dev/null &
    started=$!
    sessions+=("$started")
}

# run COMMAND…: like start, and waits; a signal to the script interrupts the waiting and clean_up ends the session.
run() {
    local status=0
    start "$@"
    wait "$started" || status=$?
    forget "$started"
    return "$status"
}

# stop SESSION: asks it to end and waits for its leader.
stop() {
    kill -TERM "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
    forget "$1"
}

forget() {
    local kept=() session
    for session in "${sessions[@]}"; do [ "$session" = "$1" ] || kept+=("$session"); done
    sessions=("${kept[@]}")
}

# The processes of a session, from the kernel's table: behind the name in parentheses stand state, parent, group, session.
members() {
    local file line fields
    for file in /proc/[0-9]*/stat; do
        line=$(cat "$file" 2>/dev/null) || continue
        read -ra fields <<<"${line##*) }"
        if [ "${fields[3]}" = "$1" ] && [ "${fields[0]}" != Z ]; then echo "${line%% *}"; fi
    done
}

# Asks a session to end, for ten seconds at most, then asks no more.
end_session() {
    local tries pids
    for ((tries = 0; tries < 100; tries++)); do
        mapfile -t pids < <(members "$1")
        [ "${#pids[@]}" -gt 0 ] || return 0
        if [ "$((tries % 10))" -eq 0 ]; then kill -TERM "${pids[@]}" 2>/dev/null; fi
        sleep 0.1
    done
    kill -KILL "${pids[@]}" 2>/dev/null
}

clean_up() {
    local status=$? session
    trap '' INT TERM HUP
    set +e
    for session in "${sessions[@]}"; do end_session "$session"; done
    [ "$(type -t stop_postgres)" = function ] && stop_postgres
    [ -n "${workspace:-}" ] && rm -rf "$workspace"
    exit "$status"
}
