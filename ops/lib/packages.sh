# Installs the Debian packages that are missing. Sourced after common.sh.

# Builds and tests need these; `attestwatch` alone needs the first three at run time, without -dev.
debian_packages=(
    libssl-dev libcurl4-openssl-dev libpq-dev libmicrohttpd-dev pkg-config
    postgresql-15 pgbouncer nginx-light openssl curl python3 python3-psycopg ca-certificates systemd mandoc
)

missing_packages() {
    local package
    for package in "${debian_packages[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || printf '%s\n' "$package"
    done
}

# Runs a command as root: as we are, or through sudo when it asks for no password.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages)
    [ "${#missing[@]}" -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then
        complain "attestwatch: error: these Debian packages are missing and this user may not install them"
        complain "hint: run as root: apt-get install --no-install-recommends ${missing[*]}"
        exit 1
    fi
    say "installing ${missing[*]}"
    as_root bash -s -- "${missing[@]}" <<'ROOT'
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
settings=/etc/postgresql-common/createcluster.conf
policy_is_ours=
put_back() {
    [ -z "$policy_is_ours" ] || rm -f "$policy"
    [ ! -e "$settings.before-attestwatch" ] || mv "$settings.before-attestwatch" "$settings"
}
trap put_back EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
get() { apt-get -o Acquire::Retries=5 -o DPkg::Lock::Timeout=120 -qq "$@" >/dev/null; }

# Services of these packages are not started: the policy says no while they are installed.
if [ ! -e "$policy" ]; then
    policy_is_ours=yes
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 0755 "$policy"
fi
get update || { sleep 5; get update; }
# PostgreSQL's package would make a cluster `main`; its common part is installed first to be told not to.
case " $* " in
*" postgresql-15 "*)
    get install --no-install-recommends -y postgresql-common
    cp -p "$settings" "$settings.before-attestwatch"
    sed -i -E 's/^#?[[:space:]]*create_main_cluster.*/create_main_cluster = false/' "$settings"
    get install --no-install-recommends -y postgresql-15
    ;;
esac
get install --no-install-recommends -y "$@"
ROOT
}
