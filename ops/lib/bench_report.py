"""Makes one JSON object or a table of what two measured runs printed: one of few keys, one of many."""

import json
import os
import sys


def read(path):
    """The summary of a run, what it took, and what PostgreSQL took beside it, as one object."""
    run = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            run |= json.loads(line)
    return run


form = sys.argv[1]
few, many = read(sys.argv[3]), read(sys.argv[5])
for run, keys in ((few, int(sys.argv[2])), (many, int(sys.argv[4]))):
    if not keys == run["due"] == run["sent"] == run["replaced"]:
        sys.exit(
            f"attestwatch: error: expected {keys} receipts to be due, sent and replaced, found "
            f"{run['due']} due, {run['sent']} sent, {run['replaced']} replaced")
cpu = many["cpu_microseconds"] / keys
figures = {
    "keys": keys,
    "p256_units": round(cpu / many["p256_microseconds"], 3),
    "cpu_microseconds_per_receipt": round(cpu, 1),
    "p256_microseconds": round(many["p256_microseconds"], 2),
    "p256_outside_microseconds": round(many["p256_outside_microseconds"], 2),
    "postgres_microseconds_per_receipt": round(many["postgres_milliseconds"] * 1000 / keys, 1),
    "receipts_per_second": round(keys / many["elapsed_microseconds"] * 1_000_000, 1),
    "peak_rss_bytes": many["peak_rss_bytes"],
    "few_keys": few["replaced"],
    "few_keys_peak_rss_bytes": few["peak_rss_bytes"],
    "memory_ratio": round(many["peak_rss_bytes"] / few["peak_rss_bytes"], 3),
}
if form == "json":
    print(json.dumps(figures))
    sys.exit()

mebibyte = 1 << 20
rows = [
    ("P-256 units a receipt", f"{figures['p256_units']:.2f}", "CPU of the run, in verifications of one P-256 signature"),
    ("CPU a receipt", f"{cpu:.0f} µs", "start and end of the run among it"),
    (
        "CPU a P-256 verification", f"{figures['p256_microseconds']:.0f} µs", "timed in the same process, during the run; "
        f"{figures['p256_outside_microseconds']:.0f} µs before and after"),
    ("CPU of PostgreSQL", f"{figures['postgres_microseconds_per_receipt']:.0f} µs", "a receipt, all its processes"),
    (
        "receipts a second", f"{figures['receipts_per_second']:.0f}",
        f"reply time 100 ms; data server, nginx and PostgreSQL on the same {os.cpu_count()} cores"),
    ("peak memory, few keys", f"{few['peak_rss_bytes'] / mebibyte:.1f} MiB", f"{few['replaced']} due"),
    ("peak memory, many keys", f"{many['peak_rss_bytes'] / mebibyte:.1f} MiB", f"{keys} due"),
    ("memory ratio", f"{figures['memory_ratio']:.2f}", "many to few; near 1, as memory does not grow with the backlog"),
]
rows.insert(0, ("FIGURE", "VALUE", "MEANING"))
name_width, value_width = (max(len(row[column]) for row in rows) for column in (0, 1))
for name, value, meaning in rows:
    print(f"{name:<{name_width}}  {value:>{value_width}}  {meaning}")
