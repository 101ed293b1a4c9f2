import Base
import Gateway
import IO

/// Where the programs are that change what a resolver does. Fixed; tests have places of their own.
package struct ResolverPrograms: Sendable {
  package var initScript = "/etc/init.d/dnsmasq"
  package var systemctl = ["/usr/bin/systemctl", "/bin/systemctl"]
  package var resolvectl = ["/usr/bin/resolvectl", "/bin/resolvectl"]
  package var resolvconf = ["/usr/sbin/resolvconf", "/sbin/resolvconf"]
  /// There while systemd is the init system (sd_booted(3)).
  package var systemdDirectory = "/run/systemd/system"

  package static let system = ResolverPrograms()

  package init() {}

  var hasResolvectl: Bool { resolvectl.contains { TextFile.status($0) != nil } }
  var hasResolvconf: Bool { resolvconf.contains { TextFile.status($0) != nil } }

  func restart(_ restart: DnsmasqPlace.Restart) -> ResolverProgram? {
    switch restart {
    case .initScript: ResolverProgram(path: initScript, arguments: ["restart"], purpose: "restart dnsmasq")
    case .systemd(let unit): found(systemctl, ["restart", unit], "restart dnsmasq")
    }
  }

  func tell(_ link: NameService.LinkResolvers) -> [ResolverProgram] {
    let device = link.device.text
    switch link.program {
    case .resolvconf:
      guard var run = found(resolvconf, ["-a", device], "tell resolvconf") else { return [] }
      run.input = link.resolvConf
      return [run]
    case .resolved:
      let servers = link.servers.map { $0.port == 53 ? $0.address.description : $0.description }
      let domains = link.routingDomains
      let words = [
        ["dns", device] + servers, ["domain", device] + (domains.isEmpty ? [""] : domains),
        ["default-route", device, link.takesAll ? "yes" : "no"],
      ]
      return words.compactMap { found(resolvectl, $0, "tell systemd-resolved") }
    }
  }

  func forget(_ device: String, _ program: NameService.LinkResolvers.Program) -> ResolverProgram? {
    switch program {
    case .resolvconf: found(resolvconf, ["-d", device], "take back what resolvconf was told")
    case .resolved: found(resolvectl, ["revert", device], "take back what systemd-resolved was told")
    }
  }

  private func found(_ places: [String], _ arguments: [String], _ purpose: String) -> ResolverProgram? {
    places.first { TextFile.status($0) != nil }.map {
      ResolverProgram(path: $0, arguments: arguments, purpose: purpose)
    }
  }
}

/// One run of a program of the system that changes what a resolver does. Fixed paths, typed arguments.
struct ResolverProgram {
  var path: String
  var arguments: [String]
  var input = ""
  /// What it is for, in the words of a complaint.
  var purpose: String

  /// Debian's script for dnsmasq sleeps two seconds between stop and start.
  static let patience = Duration.seconds(20)

  func start() throws(SystemFailure) -> ChildProcess {
    var request = ChildProcess.Request(path, arguments)
    // Init scripts call what they need by name.
    request.environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
    request.input = Array(input.utf8)
    return try ChildProcess(request)
  }
}
