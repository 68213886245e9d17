# A private PostgreSQL cluster in the workspace, on a Unix socket only. Sourced after common.sh.

postgres_started=

# PostgreSQL refuses to run as root; then it runs as the user that its package made.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

# Starts the cluster and sets `database_socket`; the superuser is `postgres`, without a password, by the socket alone.
# `start_postgres peer`: everybody reaches the socket and is the role of his own name, as Debian has it.
start_postgres() {
    local bin authentication=${1:-trust}
    bin=$(pg_config --bindir 2>/dev/null || true)
    [ -x "$bin/initdb" ] || bin=/usr/lib/postgresql/15/bin
    if [ ! -x "$bin/initdb" ]; then
        complain "attestwatch: error: no PostgreSQL server: $bin/initdb is missing"
        exit 1
    fi
    postgres_bin=$bin
    database_socket=$workspace/postgres
    # Under `trust` whoever reaches the socket is let in, so nobody but this user (and root) may.
    mkdir -m 0700 "$database_socket"
    if [ "$authentication" = peer ]; then chmod 0755 "$database_socket"; fi
    if [ "$(id -u)" -eq 0 ]; then chown postgres: "$database_socket"; fi
    as_postgres "$bin/initdb" -D "$database_socket/data" -U postgres -A "$authentication" -E UTF8 --locale=C.UTF-8 --no-sync \
        >"$workspace/initdb.log" 2>&1 || { cat "$workspace/initdb.log" >&2; exit 1; }
    # Nothing here outlives the run, so nothing has to survive a power cut.
    as_postgres "$bin/pg_ctl" -D "$database_socket/data" -l "$database_socket/log" -w -s start -o \
        "-k $database_socket -c listen_addresses='' -c fsync=off -c full_page_writes=off -c synchronous_commit=off \
         -c max_connections=200" || { cat "$database_socket/log" >&2; exit 1; }
    postgres_started=yes
}

# Milliseconds of CPU that all processes of the cluster have used, those that have ended among them. In proc(5)'s stat
# without the name: 3 is the parent; 13 and 14 are the process's own ticks, 15 and 16 those of its children that ended.
# Other processes may end while they are looked at.
postgres_cpu_milliseconds() {
    local postmaster
    postmaster=$(as_postgres head -n 1 "$database_socket/data/postmaster.pid")
    { cat /proc/[0-9]*/stat 2>/dev/null || true; } | sed -E 's/\(.*\) //' |
        awk -v postmaster="$postmaster" -v hertz="$(getconf CLK_TCK)" '
        $1 == postmaster { ticks += $13 + $14 + $15 + $16 }
        $3 == postmaster { ticks += $13 + $14 }
        END { printf "%d\n", ticks * 1000 / hertz }'
}

stop_postgres() {
    [ -n "$postgres_started" ] || return 0
    as_postgres "$postgres_bin/pg_ctl" -D "$database_socket/data" -s -m immediate -w stop
    postgres_started=
}
