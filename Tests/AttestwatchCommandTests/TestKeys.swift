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

    /// Another of the same kind.
    static let other = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgF48IdTOSX24L9xqE
        pmkbU+FTEMWDuSWNAQm5ncCQZ7OhRANCAASk/TkoaVjhFgyRG3YsizjtlfIQC/aY
        hq9B8tQH0+7LiGIG9EeBIGRH5ZdrJYbYqEbEFuH7Ba2NNeguiDdQm+2E
        -----END PRIVATE KEY-----

        """
}
