import Base

extension NetworkPlan {
  /// The whole plan for people and tests, in the words of ip(8), sysctl(8) and nft(8).
  package var text: String {
    var lines = devices.map { "link \($0.words)" }
    lines += addresses.map { "address \($0.words)" }
    lines += routes.map { "route \($0.words)" }
    lines += rules.map { "rule \($0.words)" }
    lines += sysctls.map { "sysctl \($0.path)=\($0.value)" }
    lines += nameService.lines
    return (lines + remarks).joined(separator: "\n")
  }

  /// What the owner should know about it, a line each.
  package var remarks: [String] {
    warnings.map { "warning \($0)" }
      + faults.sorted { $0.key < $1.key }.map { "fault \($0.key) \($0.value.code.rawValue)" }
  }
}

extension NetworkPlan.TunDevice {
  /// `tun-home alias adit:home mtu 1500 txqueuelen 1000`.
  package var words: String { "\(name) alias \(alias) mtu \(mtu) txqueuelen \(transmitQueueLength)" }
}

extension InterfaceAddress {
  /// `10.8.0.6 peer 10.8.0.5 dev tun-home`.
  package var words: String {
    peer.map { "\(prefix.address) peer \($0) dev \(device)" } ?? "\(prefix) dev \(device)"
  }
}

extension Route {
  /// `unreachable default table 44001 metric 4294967295`.
  package var words: String {
    var words: [String] = []
    if let name = kind.word { words.append(name) }
    words.append(
      destination.length == 0 ? (destination.family == .ipv4 ? "default" : "default6") : destination.description)
    if let gateway { words.append("via \(gateway)") }
    if let device { words.append("dev \(device)") }
    if let source { words.append("src \(source)") }
    words.append("table \(table)")
    if metric != 0 { words.append("metric \(metric)") }
    return words.joined(separator: " ")
  }
}

extension Route.Kind {
  fileprivate var word: String? {
    switch self {
    case .unicast: nil
    case .local: "local"
    case .unreachable: "unreachable"
    case .prohibit: "prohibit"
    case .blackhole: "blackhole"
    case .throwing: "throw"
    }
  }
}

extension Rule {
  /// `v4 850: not fwmark 0xad000000/0xff000000 lookup 44129`.
  package var words: String {
    var words = ["v\(family.digit) \(priority):"]
    if isInverted { words.append("not") }
    if let mark { words.append("fwmark \(mark.hexadecimal)/\(markMask.hexadecimal)") }
    if let source { words.append("from \(source)") }
    if let destination { words.append("to \(destination)") }
    if let inputDevice { words.append("iif \(inputDevice)") }
    if let outputDevice { words.append("oif \(outputDevice)") }
    if let ipProtocol { words.append("ipproto \(ipProtocol)") }
    if let sourcePorts { words.append("sport \(sourcePorts.words)") }
    if let destinationPorts { words.append("dport \(destinationPorts.words)") }
    switch action {
    case .lookup(let table): words.append("lookup \(table)")
    case .unreachable: words.append("unreachable")
    }
    if let suppressedLength { words.append("suppress_prefixlength \(suppressedLength)") }
    return words.joined(separator: " ")
  }
}

extension Rule.Ports {
  var words: String { first == last ? "\(first)" : "\(first)-\(last)" }
}
