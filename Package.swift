// swift-tools-version: 6.3
import PackageDescription

// One table of modules and arrows; `Tests/ArchitectureTests` holds every import line against it.

let strict: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func command(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "attestwatch",
    products: [
        .executable(name: "attestwatch", targets: ["attestwatch"]),
        .executable(name: "attestwatch-timelapse", targets: ["attestwatch-timelapse"]),
        .executable(name: "attestwatch-bench", targets: ["attestwatch-bench"]),
        .executable(name: "data-server-simulator", targets: ["data-server-simulator"]),
        .library(name: "AppAttest", targets: ["AppAttest", "Verification"]),
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),

        module("AppAttest"),
        module("System", ["CLinux", "AppAttest"]),
        module("OpenSSL", ["COpenSSL"]),
        module("Verification", ["AppAttest", "OpenSSL"]),
        module("HTTP", ["CCurl", "System"]),
        module("Risk", ["AppAttest"]),
        module("Refresh", ["AppAttest", "Risk"]),
        module("DataServer", ["Refresh", "AppAttest", "HTTP", "OpenSSL"]),
        module("Postgres", ["CPostgres", "System"]),
        module("ReceiptStore", ["AppAttest", "Risk", "Refresh", "Postgres"]),
        module("Reporting", ["AppAttest", "Risk", "Refresh"]),
        .target(
            name: "Migrations",
            path: "migrations",
            exclude: ["README.md"],
            sources: ["Migrations.swift"],
            resources: [
                .embedInCode("0001_create_schema.sql"), .embedInCode("0002_create_reports.sql"),
                .embedInCode("0003_create_workers.sql"), .embedInCode("0004_add_replayed_count.sql"),
                .embedInCode("0005_create_data_servers.sql"), .embedInCode("0006_create_kept_answers.sql"),
                .embedInCode("0007_create_alerts.sql"), .embedInCode("0008_allow_dropped.sql"),
                .embedInCode("0009_validate_schedule.sql"), .embedInCode("0010_index_quarantined.sql"),
                .embedInCode("0011_index_flags_of_app.sql"), .embedInCode("0012_create_intake.sql"),
                .embedInCode("0013_create_submission.sql"), .embedInCode("0014_create_reviews.sql"),
                .embedInCode("0015_validate_reviews.sql"), .embedInCode("0016_keep_partitions.sql"),
                .embedInCode("0017_allow_erasure.sql"), .embedInCode("0018_add_expired_tries.sql"),
                .embedInCode("0019_keep_speaking_keys.sql"), .embedInCode("0020_index_notes.sql"),
                .embedInCode("0021_correct_submissions.sql"), .embedInCode("0022_index_development.sql"),
                .embedInCode("grants.sql"), .embedInCode("roles.sql"),
            ],
            swiftSettings: strict),
        module(
            "AttestwatchCommand",
            [
                "AppAttest", "DataServer", "HTTP", "Migrations", "OpenSSL", "Postgres", "ReceiptStore", "Refresh",
                "Reporting", "Risk", "System", "Verification",
            ]),
        command("attestwatch", ["AttestwatchCommand", "System"]),
        command("attestwatch-timelapse", ["AttestwatchCommand", "AppAttest", "System"]),
        command("attestwatch-bench", ["AttestwatchCommand", "OpenSSL", "System"]),

        module("Microhttpd", ["CMicrohttpd"]),
        module("SimulatedDataServer", ["OpenSSL", "System", "Microhttpd"]),
        command("data-server-simulator", ["SimulatedDataServer", "System"]),

        .target(
            name: "TestSupport",
            dependencies: ["AppAttest", "Migrations", "Postgres", "ReceiptStore", "SimulatedDataServer"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(name: "TestServers", path: "Tests/TestServers", exclude: ["Scripts"], swiftSettings: strict),
        tests("ArchitectureTests", []),
        tests(
            "EndToEndTests", ["AppAttest", "Postgres", "Refresh", "SimulatedDataServer", "System", "TestSupport"],
            exclude: ["Scripts"]),
        tests("AppAttestTests", ["AppAttest", "OpenSSL"]),
        tests("OpenSSLTests", ["OpenSSL"]),
        tests("SystemTests", ["System", "AppAttest", "TestSupport"]),
        tests("VerificationTests", ["AppAttest", "OpenSSL", "SimulatedDataServer", "TestSupport", "Verification"]),
        tests("HTTPTests", ["HTTP", "System", "TestServers"]),
        tests(
            "DataServerTests", ["AppAttest", "DataServer", "HTTP", "OpenSSL", "Refresh", "System", "TestServers"]),
        tests("RiskTests", ["AppAttest", "Risk"]),
        tests("RefreshTests", ["AppAttest", "Refresh", "Risk", "TestSupport"]),
        tests("PostgresTests", ["Postgres", "System", "TestSupport"]),
        tests(
            "ReceiptStoreTests",
            ["AppAttest", "Migrations", "Postgres", "ReceiptStore", "Refresh", "Risk", "System", "TestSupport"]),
        tests("ReportingTests", ["AppAttest", "Refresh", "Reporting", "Risk"]),
        tests("SimulatedDataServerTests", ["OpenSSL", "SimulatedDataServer", "System", "TestSupport"]),
        tests(
            "AttestwatchCommandTests",
            [
                "AppAttest", "AttestwatchCommand", "Migrations", "OpenSSL", "Postgres", "ReceiptStore", "Refresh",
                "Reporting", "Risk", "SimulatedDataServer", "System", "TestServers", "TestSupport", "Verification",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
