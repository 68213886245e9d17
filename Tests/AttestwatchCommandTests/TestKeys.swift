/// Private keys made for these tests alone.
enum TestKeys {
    /// P-256, PKCS #8, as Apple hands keys out.
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgByXehJvXeV2nbQVv
        ErDToOMHS+VzUdbkmN8TAEeVOLahRANCAAT2elW0To/fNvkDhgkVg1B/s+7BdTtc
        8sCa2iAFEggsAQ8mpIb9zguF9MbVmhmF1vIMaUeeTMsCMp0xUVzbxFTn
        -----END PRIVATE KEY-----

        """
}
