import Base

// The options that a profile and a push share are read in one place, so that they can never mean two things.
extension TunnelOptions {
  /// - Parameter warnings: what was taken with a change or left out, the rest standing.
  /// - Returns: false when the option is not one of these.
  mutating func read(_ line: OptionLine, isPushed: Bool, warnings: inout [String]) throws(OptionProblem) -> Bool {
    switch line.name {
    case "topology": topology = line.text(0).flatMap(Topology.init)
    case "ifconfig": ipv4 = IPv4Configuration(local: try line.ipv4(0), second: try line.ipv4(1))
    case "ifconfig-ipv6": try readIPv6Configuration(line)
    case "route-gateway":
      // `dhcp` asks a tap device's DHCP server; on tun the peer or the device serves.
      routeGateway = line.text(0) == "dhcp" ? nil : try line.ipv4(0)
    case "route-ipv6-gateway": routeGatewayIPv6 = try line.ipv6(0)
    case "route-metric": routeMetric = UInt32(clamping: try line.number(0))
    case "route":
      if let route = try RouteLine(line, isPushed: isPushed).route(warnings: &warnings) { routes.append(route) }
    case "route-ipv6":
      if let route = try RouteLine(line, isPushed: isPushed).routeIPv6(warnings: &warnings) { routes.append(route) }
    case "redirect-gateway", "redirect-private": readRedirect(line, warnings: &warnings)
    case "block-ipv6": blockIPv6 = true
    case "dns": try dns.read(line, isPushed: isPushed, warnings: &warnings)
    case "dhcp-option": try dns.readDHCPOption(line, warnings: &warnings)
    default: return false
    }
    return true
  }

  private mutating func readIPv6Configuration(_ line: OptionLine) throws(OptionProblem) {
    let text = line.arguments[0]
    guard text.contains("/"), let prefix = IPPrefix(text), prefix.family == .ipv6, prefix.length > 0 else {
      throw OptionProblem("`\(text)` is not an IPv6 address with its prefix length (fd00::2/64)", argument: 0)
    }
    ipv6 = IPv6Configuration(prefix: prefix, remote: line.arguments.count > 1 ? try line.ipv6(1) : nil)
  }

  /// Flags of several lines add up. An unknown flag is left out, never the redirection: that would be a leak.
  private mutating func readRedirect(_ line: OptionLine, warnings: inout [String]) {
    var redirect = redirectGateway ?? RedirectGateway(redirectsDefault: false)
    if line.name == "redirect-gateway" { redirect.redirectsDefault = true }
    for flag in line.arguments {
      switch flag {
      case "def1": redirect.def1 = true
      case "local": redirect.local = true
      case "autolocal": redirect.autolocal = true
      case "bypass-dhcp": redirect.bypassDHCP = true
      case "bypass-dns": redirect.bypassDNS = true
      case "block-local": redirect.blockLocal = true
      case "ipv6": redirect.ipv6 = true
      case "!ipv4": redirect.ipv4 = false
      default: warnings.append("`\(line.name)`: the flag `\(flag)` is unknown and left out")
      }
    }
    redirectGateway = redirect
  }
}

extension RedirectGateway {
  fileprivate init(redirectsDefault: Bool) {
    self.init()
    self.redirectsDefault = redirectsDefault
  }
}
