"""Prints the first receipt of an intake file in base64, wrapped as a mail program would: something to inspect."""

import base64
import json
import sys

with open(sys.argv[1], encoding="utf-8") as lines:
    receipt = base64.b64decode(json.loads(next(lines))["receipt"])
sys.stdout.write(base64.encodebytes(receipt).decode("ascii"))
