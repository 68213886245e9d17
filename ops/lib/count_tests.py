"""Prints `passed failed skipped` from the test runner's report (xUnit XML).

Only tests skipped for want of genuine receipts count as skipped; any other skipped test is a failure, because nothing
else may be left out silently.
"""

import sys
import xml.etree.ElementTree as ElementTree

passed = failed = skipped = 0
for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
    reason = case.find("skipped")
    if reason is not None and (reason.text or "").strip() == "no genuine receipts":
        skipped += 1
    elif reason is not None:
        failed += 1
        print(f"skipped without leave: {case.get('classname')} {case.get('name')}", file=sys.stderr)
    elif case.find("failure") is not None or case.find("error") is not None:
        failed += 1
    else:
        passed += 1
print(passed, failed, skipped)
