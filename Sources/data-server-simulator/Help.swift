/// What `--help` prints.
let help = """
    data-server-simulator: stands in for Apple's App Attest data server on this machine

    data-server-simulator mint --directory DIR --devices N --app-id ID --environment production|development
        [--keys-per-device K] [--heavy-share S] [--quiet-share Q] [--seed N] [--clock FILE] [--suffix S]

      Mints a population: DIR/population.jsonl for the simulator, DIR/intake.ndjson for `attestwatch ingest`.
      Heavy devices (share S) make, in turn, 4, 9 and 29 further attestations over the next six days; quiet ones
      (share Q) attested 25 days ago and never again; all others once within the last day. With --suffix S the files
      are population-S.jsonl and intake-S.ndjson, for a second population beside the first.

    data-server-simulator serve --directory DIR [--population FILE]… [--clock FILE] [--ledger FILE]
        [--scenario FILE] [--client-key KID:TEAM:PEMFILE]… [--goaway-after N] [--stay-while-stdin-open]

      Serves both environments over TLS and HTTP/2 until SIGTERM, SIGINT or, with --stay-while-stdin-open, the end of
      standard input. Prints one line of JSON when it accepts connections, the same as in DIR/ready.json: the two URLs,
      the files with the three roots, the ledger, and the keys that clients sign with. Keys and certificates are kept
      in DIR/keys; without --client-key, DIR/AuthKey_SIMULATED1.p8 and so on are made, one for each team.

      --clock FILE    one line: signed decimal seconds to add to the real time, read at every request
      --ledger FILE   one JSON line a request (DIR/ledger.ndjson); a simulator started on it again goes on from there
      --scenario FILE JSON; days are counted from the minting of the first population:
        {"attestations": [{"device_ref": "device-000007", "at_day": 3.5, "count": 12}],
         "faults": [{"match": {"first_request": 5, "last_request": 9, "key_ids": […], "device_refs": […], "share": 0.1,
                               "environment": "production", "from_day": 2, "to_day": 3},
                     "times": 40, "times_a_key": 1, "status": 429, "retry_after": "120", "delay_ms": 200,
                     "date_offset_s": -7200, "body": "html"}],
         "receipt_days": 90}
        Every part is optional; the first fault that matches and is not used up plays. Bodies, whatever the request:
          empty html json garbage oversized
        Bodies in place of the receipt of a 200:
          newline wrapped raw half cut gzip damaged_signature changed_metric no_metric ending_signer unmarked_signer
          foreign_root stale future older echo other_key other_app other_environment
    """
