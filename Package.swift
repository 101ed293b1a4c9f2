// swift-tools-version: 6.2
import PackageDescription

// One room per target. What a room may import is law: scripts/imports.txt states it, scripts/check enforces it.

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .enableExperimentalFeature("Lifetimes"),
  // Dynamic exclusivity checks cost some 6 ns an access; debug and test builds keep them.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

let tests: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String, _ uses: [String]) -> Target {
  .target(name: name, dependencies: uses.map { .init(stringLiteral: $0) }, swiftSettings: strict)
}

func roomTests(_ name: String, _ uses: [String] = [], exclude: [String] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: ([name, "Base"] + uses).uniqued().map { .init(stringLiteral: $0) },
    exclude: exclude, swiftSettings: tests)
}

extension [String] {
  func uniqued() -> [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

let package = Package(
  name: "adit",
  targets: [
    // The cellar: what Swift cannot import by itself.
    .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),
    .systemLibrary(name: "CLibSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .target(name: "COpenSSL", dependencies: ["CLibSSL"]),
    .systemLibrary(name: "CNetlink", pkgConfig: "libnl-route-3.0", providers: [.apt(["libnl-route-3-dev"])]),
    .systemLibrary(name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"])]),
    .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),

    // The nouns.
    room("Base", ["CLinux"]),

    // The books.
    room("Profile", ["Base"]),
    room("Settings", ["Base", "Profile"]),

    // The street.
    room("Wire", ["Base"]),
    room("Crypto", ["Base", "COpenSSL"]),
    room("TLS", ["Base", "Crypto", "COpenSSL"]),
    room("ControlChannel", ["Base", "Wire", "Crypto"]),
    room("DataChannel", ["Base", "Wire", "Crypto", "CLZ4"]),
    room("Exchange", ["Base", "Profile"]),
    room("Session", ["Base", "Profile", "Wire", "Crypto", "TLS", "ControlChannel", "DataChannel", "Exchange"]),

    // The minds.
    room("Gateway", ["Base", "Profile", "Settings"]),
    room("Supervisor", ["Base", "Profile", "Settings", "Gateway", "Exchange"]),

    // The hands.
    room("IO", ["Base", "CLinux", "CAres"]),
    room("Netlink", ["Base", "CNetlink", "CLinux"]),
    room("Hands", ["Base", "Gateway", "Netlink", "IO"]),
    room("ConfigDirectory", ["Base", "Profile", "Settings", "IO"]),

    // The hall.
    room("Control", ["Base"]),
    room(
      "Engine",
      [
        "Base", "Profile", "Wire", "Crypto", "TLS", "ControlChannel", "DataChannel", "Exchange", "Session", "IO",
      ]),
    room(
      "Daemon",
      [
        "Base", "Profile", "Settings", "Exchange", "Gateway", "Supervisor", "IO", "Netlink", "Hands",
        "ConfigDirectory", "Control", "Crypto",
      ]),
    room(
      "Commands",
      [
        "Base", "Profile", "Settings", "Gateway", "Crypto", "TLS", "IO", "Netlink", "Hands", "ConfigDirectory",
        "Control",
      ]),
    .executableTarget(
      name: "adit", dependencies: ["Base", "Control", "Commands", "Daemon", "Engine"],
      swiftSettings: strict + [.unsafeFlags(["-static-executable"], .when(configuration: .release))],
      linkerSettings: [
        .unsafeFlags(["-static-executable", "-use-ld=lld"], .when(configuration: .release))
      ]),

    // The tests.
    .target(
      name: "TestKit",
      dependencies: [
        "Base", "Profile", "Wire", "Crypto", "TLS", "ControlChannel", "DataChannel", "Exchange", "Session", "COpenSSL",
      ],
      path: "Tests/TestKit", swiftSettings: tests),
    .target(name: "NamespaceKit", path: "Tests/NamespaceKit", swiftSettings: tests),
    roomTests("Base"),
    roomTests("Profile"),
    roomTests("Settings", ["Profile"]),
    roomTests("Wire"),
    roomTests("Crypto", ["COpenSSL"]),
    roomTests("TLS", ["Crypto", "TestKit", "COpenSSL"]),
    roomTests("ControlChannel", ["Wire", "Crypto"]),
    roomTests("DataChannel", ["Wire", "Crypto"]),
    roomTests("Exchange", ["Profile"]),
    roomTests(
      "Session",
      ["TestKit", "Profile", "Wire", "Crypto", "TLS", "ControlChannel", "DataChannel", "Exchange"],
      exclude: ["Recordings"]),
    roomTests("Gateway", ["Profile", "Settings", "NamespaceKit"], exclude: ["Plans"]),
    roomTests("Supervisor", ["Profile", "Settings", "Gateway", "Exchange"]),
    roomTests("IO", ["CLinux"]),
    roomTests("Netlink", ["CLinux", "NamespaceKit"]),
    roomTests("Hands", ["Settings", "Gateway", "Netlink", "IO", "CLinux", "NamespaceKit"]),
    roomTests("ConfigDirectory", ["TestKit", "Profile", "Settings"]),
    roomTests("Control"),
    roomTests("Engine", ["TestKit", "Session", "Exchange", "IO", "Profile", "Crypto", "DataChannel", "CLinux"]),
    roomTests(
      "Daemon", ["Control", "Gateway", "Hands", "IO", "Netlink", "Supervisor", "Settings", "Profile", "Exchange"]),
    roomTests("Commands", ["TestKit", "Profile", "Settings", "Gateway", "ConfigDirectory", "Control", "IO"]),
  ],
  swiftLanguageModes: [.v6]
)

// scripts/record needs it; nobody else does.
if Context.environment["ADIT_RECORDER"] != nil {
  package.targets.append(
    .executableTarget(
      name: "Recorder",
      dependencies: [
        "Base", "Profile", "Wire", "Crypto", "TLS", "ControlChannel", "DataChannel", "Session", "TestKit",
      ],
      path: "Tests/Recorder", swiftSettings: tests))
}

// scripts/bench and scripts/instructions need them; nobody else does.
if Context.environment["ADIT_BENCH"] != nil {
  let pump: [Target.Dependency] = ["Base", "CLinux", "Wire", "Crypto", "DataChannel", "IO", "BenchPump"]
  // As the rooms are built, and static: it starts fast and the counting finds every symbol.
  let fast: SwiftSetting = .unsafeFlags(["-enforce-exclusivity=unchecked"])
  let whole: LinkerSetting = .unsafeFlags(["-static-executable", "-use-ld=lld"], .when(configuration: .release))
  package.targets += [
    .target(
      name: "BenchPump", dependencies: pump.dropLast(), path: "Tests/Bench/Pump", swiftSettings: tests + [fast]),
    .executableTarget(
      name: "BenchPeer", dependencies: pump + ["ControlChannel", "Engine", "TestKit"], path: "Tests/Bench/Peer",
      swiftSettings: tests + [fast]),
    .executableTarget(
      name: "BenchCount", dependencies: pump, path: "Tests/Bench/Count",
      swiftSettings: tests + [fast, .unsafeFlags(["-static-executable"], .when(configuration: .release))],
      linkerSettings: [whole]),
  ]
}

// ADIT_ROOMS="Base CLinux Wire WireTests" builds only those targets: seconds instead of minutes while one room is worked on.
if let rooms = Context.environment["ADIT_ROOMS"]?.split(separator: " ") {
  package.targets.removeAll { target in !rooms.contains { $0 == target.name } }
}
