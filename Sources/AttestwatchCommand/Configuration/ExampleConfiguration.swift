/// The documented example, as `attestwatch config example` prints it.
///
/// It stands in the program so that an installed binary needs no file beside it; a test holds it equal to
/// `ops/attestwatch.example.json5`.
package let exampleConfiguration = #"""
    // The configuration of attestwatch: JSON5, so comments, bare keys and commas at the end are welcome.
    //
    // Looked for in --config FILE, else in ATTESTWATCH_CONFIG, else in /etc/attestwatch/attestwatch.json5.
    // Only `apps` with an `app_id` and a signing key each must be there; every other value below is the default unless
    // it says "example". An unknown or repeated key is an error. `attestwatch config check` reads all of it and prints
    // what is in force. Durations are a whole number and a unit, s, m, h or d. Relative paths count from this folder.
    {
        // A libpq connection string or URI (example). Without it libpq's own variables hold: PGHOST, PGDATABASE and so
        // on. A password is refused here: put it into a passfile (passfile=… or ~/.pgpass). Across a network the
        // server's certificate must be verified: sslmode=verify-full.
        database: "host=/run/postgresql dbname=attestwatch",

        // A folder for what must outlive a run, with mode 0700 (example): the journal of answers that are on their way
        // to the database. Without it STATE_DIRECTORY, as systemd sets it; with neither there is no journal.
        state_directory: "/var/lib/attestwatch",

        // The apps whose receipts are kept: at least one, no App ID twice.
        apps: [
            {
                // The App ID: ten characters, a dot and the bundle identifier (example).
                app_id: "A1B2C3D4E5.com.example.app",

                // The team that signs, where it is not the App ID's prefix: for apps that moved to another team.
                team_id: "A1B2C3D4E5",

                // Private keys with the DeviceCheck service, as downloaded from Apple (example). The first one is used;
                // a second one stands beside it while keys are changed. `id` is the key ID that Apple shows. The key is
                // in a file that its owner alone can read:
                //     { id: "ABC123DEFG", file: "/etc/attestwatch/AuthKey_ABC123DEFG.p8" }
                // or systemd hands it over as a credential. attestwatch.service has `LoadCredential=` for the folder
                // /etc/attestwatch/keys, which is root's alone: what is in it comes as keys_ and the file's name.
                signing_keys: [
                    { id: "ABC123DEFG", credential: "keys_AuthKey_ABC123DEFG.p8" },
                ],

                // The environments accepted: `production`, `development` or both. Without this, production alone.
                environments: {
                    production: {
                        // Thresholds on the risk metric, the number of keys attested by this app on one device in 30
                        // days. A level opens at `raise` and falls at or below `clear`, which must be less.
                        // `raise` grows from watch over review to high.
                        levels: {
                            watch: { raise: 4, clear: 2 },
                            review: { raise: 6, clear: 4 },
                            high: { raise: 20, clear: 13 },
                        },
                    },
                    // development: { levels: { watch: { raise: 40, clear: 20 }, review: { raise: 60, clear: 40 },
                    //                          high: { raise: 200, clear: 130 } } },
                },

                // How often a device is read, between 1m and 60d. No reading is ever taken before a receipt's own
                // not-before.
                cadence: {
                    clear: "7d", // without a flag; less than 30d, when a reading counts as stale
                    flagged: "1d", // with a flag; not longer than `clear`
                    quiet: "14d", // while Apple answers 404, which is how every honest key ends
                    background: "14d", // a device's older keys
                    first_reading: "1h", // within which a fresh key is read for the first time; not longer than `clear`
                    flagged_calls_a_day: 10000, // with more flagged devices, each is read more seldom
                },
            },
        ],

        // Where receipts are sent, and how fast. `requests_per_second` (1 to 10000) and `in_flight` (1 to 400) hold
        // for all runs together. `url` and `tls_ca_file` (a PEM file of CA certificates, in place of the system's)
        // are for a stand-in of Apple's server; what is replaced is named in every summary and status.
        data_servers: {
            production: {
                url: "https://data.appattest.apple.com/v1/attestationData",
                requests_per_second: 50,
                in_flight: 100,
                // tls_ca_file: "stand-in-ca.pem",
            },
            development: {
                url: "https://data-development.appattest.apple.com/v1/attestationData",
                requests_per_second: 50,
                in_flight: 100,
                // tls_ca_file: "stand-in-ca.pem",
            },
        },

        // How long a worker's lease on its part of the keys lasts, 2s to 10m, in elapsed time by the database. Workers
        // that run at the same time share the keys; the part of one that died is taken over when its lease has run out.
        lease: "60s",

        // How long what has passed is kept; `attestwatch prune` takes away what is older. The first two and the last at
        // least 60d. Receipts in use, each key's newest reading, open alerts and flags are kept while they last.
        retention: {
            readings: "400d", // by whole months
            runs: "400d", // the counts of each run
            rejects: "90d", // receipts that were handed over and refused
            alerts: "400d", // from when they were closed
        },

        // How the JWT stands in the Authorization header: "bare", as Apple's example has it, or "bearer".
        authorization: "bare",

        // The Content-Type of requests.
        content_type: "application/octet-stream",

        // PEM files of roots in place of Apple's own, for a stand-in; refused beside a data server under apple.com.
        trust_anchors: {
            // receipts: "stand-in-receipt-root.pem",
            // attestations: "stand-in-attestation-root.pem",
        },

        // Certificates of receipt signers that are not to be believed, by serial number in hexadecimal, as
        // `openssl x509 -noout -serial` prints it. Revocation is not asked online; this is how to act on one.
        blocked_signers: [],
    }

    """#
