"""A back end in Python that keeps App Attest receipts in its own PostgreSQL: what it does at an attestation, and later.

    back_end.py submit CONNINFO < intake.ndjson
    back_end.py ask CONNINFO TIME < intake.ndjson

Each line of standard input is a key as `attestwatch ingest` takes it. `submit` enrols every device in a transaction of
its own, with a row in the back end's own table `enrolment`; every second receipt goes as bytes, the others as base64
text, and every third enrolment fails behind the submission, so that both are undone, and is tried again. `ask` prints
one JSON object a line: the key and what became of its submission and its level at a time. It ends with 0 unless
something is not as it expects.
"""

import base64
import json
import sys

import psycopg


class CardDeclined(Exception):
    """Something of the back end's own that goes wrong in the same transaction."""


def enrol(connection, number, line, is_declined):
    key_id, receipt = line["key_id"], line["receipt"]
    if number % 2 == 0:
        key_id, receipt = base64.b64decode(key_id), base64.b64decode(receipt)
    with connection.transaction():
        connection.execute(
            "INSERT INTO enrolment (device_ref, user_ref) VALUES (%s, %s)", [line["device_ref"], line["user_ref"]]
        )
        state = connection.execute(
            """
            SELECT attestwatch.submit_receipt(%(app_id)s, %(key_id)s, %(receipt)s, environment => %(environment)s,
                device_ref => %(device_ref)s, user_ref => %(user_ref)s, attested_time => %(attested_time)s)
            """,
            {**line, "key_id": key_id, "receipt": receipt},
        ).fetchone()[0]
        if is_declined:
            raise CardDeclined
    return state


def submission(connection, key_id):
    return connection.execute("SELECT state, reason FROM attestwatch.submission(%s)", [key_id]).fetchone()


def submit(connection, lines):
    connection.execute("CREATE TABLE enrolment (device_ref text PRIMARY KEY, user_ref text NOT NULL)")
    for number, line in enumerate(lines):
        if number % 3 == 0:
            try:
                enrol(connection, number, line, is_declined=True)
            except CardDeclined:
                expect(submission(connection, line["key_id"]), ("not_on_record", None))
        expect(enrol(connection, number, line, is_declined=False), "pending")
    # A client that lost the connection before it had the answer asks again.
    for number, line in enumerate(lines[:2]):
        line = {**line, "device_ref": line["device_ref"] + "-again"}
        expect(enrol(connection, number, line, is_declined=False), "pending")
    enrolled = connection.execute("SELECT count(*) FROM enrolment").fetchone()[0]
    expect(enrolled, len(lines) + 2)


def ask(connection, lines, time):
    for number, line in enumerate(lines):
        key_id = line["key_id"] if number % 2 else base64.b64decode(line["key_id"])
        state, reason = submission(connection, key_id)
        level, metric, flag_level = connection.execute(
            "SELECT level, risk_metric, flag_level FROM attestwatch.key_level(%s, %s)", [key_id, time]
        ).fetchone()
        answer = {"key_id": line["key_id"], "device_ref": line["device_ref"], "state": state, "reason": reason}
        print(json.dumps({**answer, "level": level, "risk_metric": metric, "flag_level": flag_level}))


def expect(found, expected):
    if found != expected:
        sys.exit(f"expected {expected!r}, found {found!r}")


def main():
    lines = [json.loads(line) for line in sys.stdin]
    with psycopg.connect(sys.argv[2], autocommit=True) as connection:
        if sys.argv[1] == "submit":
            submit(connection, lines)
        else:
            ask(connection, lines, sys.argv[3])


if __name__ == "__main__":
    main()
