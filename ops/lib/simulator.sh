# Starts the simulated data server and writes a configuration for it. Sourced after common.sh; `binaries` is set.

# start_simulator DIR OPTION…: returns when it accepts connections; DIR/ready.json says where.
start_simulator() {
    local directory=$1 pipe=$workspace/simulator.pipe line
    shift
    mkfifo "$pipe"
    # Opened both ways, so that neither end waits for the other to open.
    exec {simulator_output}<>"$pipe"
    start "$binaries/data-server-simulator" serve --directory "$directory" "$@" >"$pipe" 2>"$workspace/simulator.log"
    if ! read -r -t 60 line <&"$simulator_output"; then
        complain "attestwatch: error: the simulated data server did not start"
        cat "$workspace/simulator.log" >&2
        exit 1
    fi
    simulator=$started
    rm "$pipe"
}

# Ends the simulator and takes away what it needed only while it ran.
tidy_simulator() {
    stop "$simulator"
    rm -rf "$1/tmp" "$1/nginx.conf" "$1/nginx-error.log" "$1/tls-server.pem" "$1/tls-server-key.pem"
}

# write_configuration READY FILE APP_ID [RATE IN_FLIGHT]: the least that attestwatch needs, with the simulator in
# Apple's place.
write_configuration() {
    python3 - "$1" "$2" "$3" "${4:-500}" "${5:-100}" <<'PYTHON'
import json
import sys

ready_file, target, app_id, rate, in_flight = sys.argv[1:]
with open(ready_file, encoding="utf-8") as file:
    ready = json.load(file)
server = {"requests_per_second": int(rate), "in_flight": int(in_flight), "tls_ca_file": ready["tls_ca_file"]}
settings = {
    "state_directory": "state",
    "apps": [{
        "app_id": app_id,
        "signing_keys": [{"id": key["id"], "file": key["file"]} for key in ready["signing_keys"]],
        "environments": {"production": {}, "development": {}},
    }],
    "data_servers": {name: {"url": ready[name], **server} for name in ("production", "development")},
    "trust_anchors": {"receipts": ready["receipt_anchor_file"], "attestations": ready["attestation_anchor_file"]},
}
with open(target, "w", encoding="utf-8") as file:
    json.dump(settings, file, indent=4)
    file.write("\n")
PYTHON
}
