"""Holds what the demo's runs said against what its scenario means: the population file and the simulator's ledger.

Nothing here is read from the program's own database: who is flagged follows from the attestations that the simulator
knows of, counted over the 30 days before the second refresh.
"""

import collections
import datetime
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
faults = []


def lines(name):
    with open(folder / name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def expect(what, expected, found):
    if expected != found:
        faults.append(f"{what}: expected {expected}, found {found}")


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def level(metric):
    return "high" if metric >= 20 else "review" if metric >= 6 else "watch" if metric >= 4 else None


minted, *devices = lines("population.jsonl")
ledger = lines("ledger.ndjson")
with open(folder / "status.json", encoding="utf-8") as file:
    status = json.load(file)

second_refresh = instant(minted["minted_time"]) + datetime.timedelta(seconds=698400)
horizon = second_refresh - datetime.timedelta(days=30)
flagged, quiet = {}, set()
for device in devices:
    times = [instant(key["attested_time"]) for key in device["keys"]]
    for further in device["further_attestations"]:
        times += [instant(further["time"])] * further["count"]
    count = sum(horizon < time <= second_refresh for time in times)
    if count == 0:
        quiet.add(device["device_ref"])
    elif level(count):
        flagged[device["device_ref"]] = (level(count), count)

found = {row["device_ref"]: (row["level"], row["risk_metric"]) for row in lines("flags.ndjson")}
expect("devices flagged after the first refresh", [], lines("flags-first.ndjson"))
expect("flagged devices", flagged, found)
expect("quiet keys", len(quiet), status["quiet"])
expect("fresh keys", len(devices) - len(quiet), status["fresh"])
expect("keys without a reading", 0, status["unknown"])
answers = collections.Counter(row["status"] for row in ledger)
expect("requests", {200: 2 * len(devices) - len(quiet), 404: len(quiet)}, dict(answers))
if not flagged or not quiet:
    faults.append("the scenario has no flagged or no quiet device")
expect("alerts in a fleet whose quiet keys end as they should", [], status["alerts"])

for fault in faults:
    print(f"attestwatch: error: {fault}", file=sys.stderr)
if faults:
    sys.exit(1)
print(f"as the scenario has it: {len(ledger)} requests, {len(flagged)} devices flagged, {len(quiet)} keys quiet")
