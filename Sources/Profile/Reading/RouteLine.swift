import Base

/// One `route` or `route-ipv6` (protocol.md section 13.6; cases O-34, O-36, P-07).
struct RouteLine {
  private let line: OptionLine
  private let isPushed: Bool

  init(_ line: OptionLine, isPushed: Bool) {
    self.line = line
    self.isPushed = isPushed
  }

  /// - Returns: `nil` when this route cannot be, with a warning: the other routes stand.
  func route(warnings: inout [String]) throws(OptionProblem) -> RouteOption? {
    let metric = try metric(at: 3)
    let gateway = try gateway(at: 2, family: .ipv4)
    guard let destination = try destination(&warnings) else { return nil }
    return RouteOption(destination: destination, family: .ipv4, gateway: gateway, metric: metric, isPushed: isPushed)
  }

  func routeIPv6(warnings: inout [String]) throws(OptionProblem) -> RouteOption? {
    let metric = try metric(at: 2)
    let gateway = try gateway(at: 1, family: .ipv6)
    let text = line.arguments[0]
    guard text.contains("/") || IPAddress(text) != nil, let prefix = IPPrefix(text), prefix.family == .ipv6 else {
      throw OptionProblem("`\(text)` is not an IPv6 network (2001:db8::/32)", argument: 0)
    }
    warnIfMasked(prefix, &warnings)
    return RouteOption(
      destination: .prefix(prefix.network), family: .ipv6, gateway: gateway, metric: metric, isPushed: isPushed)
  }

  /// OpenVPN writes `default` where an argument keeps its usual value.
  private func argument(_ index: Int) -> String? {
    guard let text = line.text(index), text != "default", !text.isEmpty else { return nil }
    return text
  }

  private func destination(_ warnings: inout [String]) throws(OptionProblem) -> RouteOption.Destination? {
    let text = line.arguments[0]
    switch text {
    case "vpn_gateway": return .vpnGateway
    case "net_gateway": return .netGateway
    case "remote_host": return .remoteHost
    default: break
    }
    guard let network = IPv4Address(text == "default" ? "0.0.0.0" : text) else {
      if let prefix = IPPrefix(text), prefix.family == .ipv4, text.contains("/") {
        throw OptionProblem(
          "`route` takes a netmask, not a prefix length: \(prefix.network.address) \(IPv4Address.netmask(prefix.length))",
          argument: 0)
      }
      guard !isPushed, HostName.problem(with: text) == nil, IPAddress(text) == nil else {
        throw OptionProblem("`\(text)` is not an IPv4 network", argument: 0)
      }
      return .name(text)
    }
    let usual = text == "default" ? IPv4Address(0) : IPv4Address.netmask(32)
    guard let mask = argument(1).map({ IPv4Address($0) }) ?? usual else {
      throw OptionProblem("`\(line.arguments[1])` is not a netmask", argument: 1)
    }
    guard let length = mask.netmaskLength else {
      warnings.append("the route to \(text) is left out: its netmask \(mask) has holes")
      return nil
    }
    guard let prefix = IPPrefix(.v4(network), length: length) else { return nil }
    warnIfMasked(prefix, &warnings)
    return .prefix(prefix.network)
  }

  private func warnIfMasked(_ prefix: IPPrefix, _ warnings: inout [String]) {
    if prefix != prefix.network { warnings.append("\(prefix) has bits beyond its netmask; \(prefix.network) is meant") }
  }

  private func gateway(at index: Int, family: AddressFamily) throws(OptionProblem) -> RouteOption.Gateway {
    guard let text = argument(index) else { return .vpn }
    switch text {
    case "vpn_gateway", "vpn_gateway_ipv6": return .vpn
    case "net_gateway", "net_gateway_ipv6": return .net
    default: break
    }
    guard let address = IPAddress(text), address.family == family else {
      throw OptionProblem("`\(text)` is neither an address nor vpn_gateway or net_gateway", argument: index)
    }
    // `::` is what servers write when they mean the tunnel itself.
    return address.isUnspecified ? .vpn : .address(address)
  }

  private func metric(at index: Int) throws(OptionProblem) -> UInt32? {
    guard let text = argument(index) else { return nil }
    guard let number = Int(decimal: text), let metric = UInt32(exactly: number) else {
      throw OptionProblem("`\(text)` is not a metric", argument: index)
    }
    return metric
  }
}
