package import Base

/// The resolvers that one uplink was given, as the program that leased its address wrote them down.
package enum LeaseFiles {
  /// Directories with a resolv.conf(5) for each device, named `eth0.dhcp`: dhcpcd's and resolvconf's.
  private static let directories = [
    "/run/dhcpcd/hook-state/resolv.conf", "/run/dhcpcd/resolv.conf", "/run/resolvconf/interface",
    "/run/resolvconf/interfaces",
  ]

  package static func servers(of device: DeviceName) -> [IPAddress] {
    for directory in directories {
      let names = (try? TextFile.names(in: directory)) ?? []
      let found = names.filter { $0.hasPrefix(device.text + ".") }.compactMap {
        UplinkResolvers.text(of: directory + "/" + $0).map(UplinkResolvers.servers)
      }
      let servers = UplinkResolvers.usable(found.flatMap { $0 })
      if !servers.isEmpty { return servers }
    }
    let networkd =
      index(of: device).map { ["/run/systemd/netif/leases/\($0)", "/run/systemd/netif/links/\($0)"] } ?? []
    for file in networkd {
      let servers = UplinkResolvers.text(of: file).map(assigned) ?? []
      if !servers.isEmpty { return servers }
    }
    for file in ["/var/lib/dhcp/dhclient.\(device).leases", "/var/lib/dhcp/dhclient.leases"] {
      let servers = UplinkResolvers.text(of: file).map { leased($0, of: device) } ?? []
      if !servers.isEmpty { return servers }
    }
    let isDialled = device.text.hasPrefix("ppp")
    return isDialled ? UplinkResolvers.text(of: "/etc/ppp/resolv.conf").map(UplinkResolvers.servers) ?? [] : []
  }

  private static func index(of device: DeviceName) -> Int? {
    UplinkResolvers.text(of: "/sys/class/net/\(device)/ifindex").flatMap {
      Int($0.split(whereSeparator: \.isWhitespace).first ?? "")
    }
  }

  /// systemd-networkd's state files: `DNS=192.0.2.53 2001:db8::53`.
  package static func assigned(in text: String) -> [IPAddress] {
    let lines = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("DNS=") }
    return UplinkResolvers.usable(lines.flatMap { $0.dropFirst(4).split(separator: " ") }.compactMap { IPAddress($0) })
  }

  /// dhclient's leases(5): the last one of the device holds.
  package static func leased(_ text: String, of device: DeviceName) -> [IPAddress] {
    var servers: [IPAddress] = []
    var isOurs = false
    var current: [IPAddress] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(whereSeparator: { " \t,;\"".contains($0) })
      if words.starts(with: ["lease"]) {
        isOurs = false
        current = []
      } else if words.starts(with: ["interface"]), words.count == 2 {
        isOurs = words[1] == device.text
      } else if words.starts(with: ["option", "domain-name-servers"]) {
        current = words.dropFirst(2).compactMap { IPAddress($0) }
      } else if line.hasPrefix("}"), isOurs, !current.isEmpty {
        servers = current
      }
    }
    return UplinkResolvers.usable(servers)
  }
}
