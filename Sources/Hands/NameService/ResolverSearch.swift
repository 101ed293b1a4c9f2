package import Base
package import Gateway
package import IO

/// Finds out who answers names on this router, in the calling thread's network namespace.
package enum ResolverSearch {
  /// The sockets of UDP port 53: cheap, to see whether looking is worth while.
  package static func sockets() -> Set<ListeningSockets.Socket> {
    Set(ListeningSockets.find(port: 53, in: [.udp, .udp6]))
  }

  /// A dnsmasq runs here, or the init script of that name, even if nothing listens yet: a long block list takes seconds to read.
  static var hasDnsmasq: Bool {
    RunningProcess.all.contains { RunningProcess.name(of: $0) == "dnsmasq" && RunningProcess.sharesNetwork($0) }
  }

  /// - Parameters:
  ///   - stateDirectory: where the file of servers will lie.
  ///   - uplink: the uplink's own resolvers.
  package static func look(
    stateDirectory: String, uplink: [IPAddress] = [], programs: ResolverPrograms = .system
  ) -> ResolverFacts {
    var facts = ResolverFacts()
    facts.uplink = uplink
    facts.hasResolvectl = programs.hasResolvectl
    facts.hasResolvconf = programs.hasResolvconf
    let sockets = sockets()
    guard !sockets.isEmpty else { return facts }
    let addresses = Dictionary(sockets.map { ($0.link, $0.address) }) { first, _ in first }
    for process in RunningProcess.all {
      let held = RunningProcess.openFiles(of: process).compactMap { addresses[$0] }
      guard !held.isEmpty, let command = RunningProcess.name(of: process) else { continue }
      let program = ResolverFacts.Program(command: command)
      facts.listeners += Set(held).sorted().map { .init(address: $0, program: program, process: process) }
      if program == .dnsmasq {
        facts.dnsmasq[process] =
          DnsmasqSearch(
            process: process, stateDirectory: stateDirectory, programs: programs
          ).facts
      }
    }
    return facts
  }
}

/// Reads one dnsmasq's command line and configuration.
struct DnsmasqSearch {
  private static let mainFile = "/etc/dnsmasq.conf"
  private static let largestFile = 1 << 20
  private static let mostFiles = 200
  private static let largestProgram = 8 << 20

  let process: Int32
  let stateDirectory: String
  let programs: ResolverPrograms

  var facts: DnsmasqFacts {
    guard let arguments = RunningProcess.arguments(of: process) else {
      return DnsmasqFacts(trouble: "dnsmasq ended while it was looked at")
    }
    var options = DnsmasqOptions()
    options.read(arguments: arguments)
    readFiles(&options)
    var facts = DnsmasqFacts()
    facts.hasServers = options.hasServers
    facts.stopsRebinding = options.stopsRebinding
    facts.fillsSets = knowsSets
    guard options.serversFile == nil else {
      facts.trouble = "dnsmasq has a `servers-file` already, and it takes only one"
      return facts
    }
    let directory = options.directories.first { directory in
      directory.reads(DnsmasqPlace.fileName) && TextFile.status(directory.path)?.isDirectory ?? false
    }
    guard let directory, Self.isPlain(directory.path) else {
      facts.trouble = "dnsmasq reads no directory of further configuration (`conf-dir`)"
      return facts
    }
    guard let restart else {
      facts.trouble = "dnsmasq runs under no service that Adit could restart"
      return facts
    }
    facts.place = DnsmasqPlace(directory: directory.path, serversFile: serversFile(directory.path), restart: restart)
    return facts
  }

  /// What it was built with stands in the program as one text, which `dnsmasq --version` prints: `… ipset nftset auth …`, or
  /// `no-nftset`. To read it costs less than to run it, and is right also when a newer one was installed since it started.
  private var knowsSets: Bool {
    guard let program = try? TextFile.read("/proc/\(process)/exe", limit: Self.largestProgram).bytes else {
      return false
    }
    return program[...].firstRange(of: " nftset ") != nil
  }

  /// Files name files; our own is left out.
  private func readFiles(_ options: inout DnsmasqOptions) {
    var waiting = [options.mainFile ?? Self.mainFile]
    var seen: Set<String> = []
    var known = (files: 0, directories: 0)
    while true {
      for file in waiting where !file.hasSuffix("/" + DnsmasqPlace.fileName) && seen.count < Self.mostFiles {
        guard seen.insert(file).inserted, let bytes = try? TextFile.read(file, limit: Self.largestFile).bytes else {
          continue
        }
        options.read(text: String(decoding: bytes, as: UTF8.self))
      }
      waiting = Array(options.files[known.files...])
      for directory in options.directories[known.directories...] {
        let names = (try? TextFile.names(in: directory.path)) ?? []
        waiting += names.filter(directory.reads).map { "\(directory.path)/\($0)" }
      }
      known = (options.files.count, options.directories.count)
      if waiting.isEmpty { return }
    }
  }

  /// A jailed dnsmasq (OpenWrt) does not see our state directory, but sees its own: a name that begins with a dot is no
  /// configuration to it.
  private func serversFile(_ directory: String) -> String {
    let ours = TextFile.status(stateDirectory)
    let theirs = TextFile.status("/proc/\(process)/root\(stateDirectory)")
    let isSeen = ours == nil || ours?.inode == theirs?.inode
    return isSeen && Self.isPlain(stateDirectory) ? "\(stateDirectory)/dnsmasq/servers" : "\(directory)/.adit.servers"
  }

  private var restart: DnsmasqPlace.Restart? {
    if TextFile.status(programs.systemdDirectory)?.isDirectory ?? false { return unit.map { .systemd($0) } }
    return TextFile.status(programs.initScript) == nil ? nil : .initScript
  }

  /// Only a unit of dnsmasq's own: NetworkManager and libvirt run one too, and those are not ours to restart.
  private var unit: String? {
    guard let bytes = try? TextFile.read("/proc/\(process)/cgroup", limit: 1 << 16).bytes else { return nil }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard let name = line.split(separator: "/").last, Self.isUnit(name) else { continue }
      return String(name)
    }
    return nil
  }

  static func isUnit(_ name: some StringProtocol) -> Bool {
    name.hasPrefix("dnsmasq") && name.hasSuffix(".service") && name.utf8.count < 128 && isPlain(name)
  }

  /// Letters that need no quoting in a configuration file or an argument.
  static func isPlain(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || [45, 46, 47, 64, 95].contains(byte)
    }
  }
}
