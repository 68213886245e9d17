"""Makes one JSON object or a table of what measured back-fills printed: runs of few rows, and runs of many."""

import json
import os
import sys


def read(path, rows):
    """The summary of a run, what it took, and what PostgreSQL took beside it, as one object."""
    run = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            run |= json.loads(line)
    if not rows == run["lines"] == run["taken_in"]:
        sys.exit(f"attestwatch: error: expected {rows} rows to be taken in, found {run['taken_in']} of {run['lines']}")
    return run


form, rows = sys.argv[1], int(sys.argv[2])
border = sys.argv.index("--")
few = [read(path, rows // 10) for path in sys.argv[3:border]]
many = [read(path, rows) for path in sys.argv[border + 1:]]
peaks = [[run["peak_rss_bytes"] for run in runs] for runs in (few, many)]


def mean(name, factor=1.0):
    """The mean a row over all runs of many rows."""
    return sum(run[name] for run in many) * factor / (rows * len(many))


figures = {
    "rows": rows,
    "runs": len(many),
    "rows_per_second": round(1_000_000 / mean("elapsed_microseconds"), 1),
    "cpu_microseconds_per_row": round(mean("cpu_microseconds"), 1),
    "p256_units": round(mean("cpu_microseconds") / (sum(run["p256_microseconds"] for run in many) / len(many)), 3),
    "postgres_microseconds_per_row": round(mean("postgres_milliseconds", 1000), 1),
    "few_rows": rows // 10,
    "few_rows_peak_rss_bytes": peaks[0],
    "peak_rss_bytes": peaks[1],
    "memory_ratio": round(max(peaks[0] + peaks[1]) / min(peaks[0] + peaks[1]), 3),
}
if form == "json":
    print(json.dumps(figures))
    sys.exit()


def megabytes(values):
    """The peaks of all runs, for people."""
    return ", ".join(f"{value / (1 << 20):.1f}" for value in values) + " MiB"


table = [
    ("FIGURE", "VALUE", "MEANING"),
    ("rows a second", f"{figures['rows_per_second']:.0f}", f"PostgreSQL on the same {os.cpu_count()} cores"),
    ("CPU a row", f"{figures['cpu_microseconds_per_row']:.0f} µs", f"{figures['p256_units']:.1f} P-256 verifications"),
    ("CPU of PostgreSQL", f"{figures['postgres_microseconds_per_row']:.0f} µs", "a row, all its processes"),
    ("peak memory, few rows", megabytes(peaks[0]), f"{rows // 10} rows, each run"),
    ("peak memory, many rows", megabytes(peaks[1]), f"{rows} rows, each run"),
    ("memory ratio", f"{figures['memory_ratio']:.2f}", "the largest of all runs to the smallest"),
]
widths = [max(len(row[column]) for row in table) for column in (0, 1)]
for name, value, meaning in table:
    print(f"{name:<{widths[0]}}  {value:>{widths[1]}}  {meaning}")
