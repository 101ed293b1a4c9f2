import Base

// `dns` and `dhcp-option` (protocol.md section 13.7).
extension DNSOptions {
  private static let mostAddresses = 8

  mutating func read(_ line: OptionLine, isPushed: Bool, warnings: inout [String]) throws(OptionProblem) {
    switch line.arguments[0] {
    case "search-domains":
      guard line.arguments.count > 1 else { throw OptionProblem("`dns search-domains` needs a name") }
      for text in line.arguments.dropFirst() { addSearchDomain(text, &warnings) }
    case "server":
      try readServer(line, isPushed: isPushed, warnings: &warnings)
    default:
      throw OptionProblem("`dns` needs `server` or `search-domains`, not `\(line.arguments[0])`", argument: 0)
    }
  }

  private mutating func readServer(_ line: OptionLine, isPushed: Bool, warnings: inout [String]) throws(OptionProblem) {
    guard line.arguments.count > 3 else { throw OptionProblem("`dns server` needs a number, a word and a value") }
    let priority = try line.number(1)
    guard (isPushed ? 0...127 : -128...127).contains(priority) else {
      throw OptionProblem("`dns server`: the number \(priority) is out of range", argument: 1)
    }
    var server = servers.first { $0.priority == priority } ?? Server(priority: priority)
    let values = line.arguments.dropFirst(3)
    switch line.arguments[2] {
    case "address": server.addresses += try addresses(of: line)
    case "resolve-domains", "exclude-domains":
      guard line.arguments[2] == "resolve-domains" else {
        warnings.append("`dns server \(priority) exclude-domains` went out of OpenVPN and is left out")
        return
      }
      for text in values {
        if let name = DomainName(text) {
          Self.add(name, to: &server.domains)
        } else {
          warnings.append("`dns server \(priority)`: `\(text)` is not a domain name and is left out")
        }
      }
    case "dnssec":
      guard ["yes", "optional", "no"].contains(line.arguments[3]) else { throw unknownValue(line) }
    case "transport":
      guard ["plain", "DoT", "DoH"].contains(line.arguments[3]) else { throw unknownValue(line) }
      server.isEncrypted = line.arguments[3] != "plain"
    case "sni": break
    default: throw OptionProblem("`dns server`: unknown word `\(line.arguments[2])`", argument: 2)
    }
    servers.removeAll { $0.priority == priority }
    let index = servers.firstIndex { $0.priority > priority } ?? servers.endIndex
    servers.insert(server, at: index)
  }

  private func unknownValue(_ line: OptionLine) -> OptionProblem {
    OptionProblem("`dns server`: `\(line.arguments[3])` does not fit \(line.arguments[2])", argument: 3)
  }

  /// `a`, `a:port`, `[v6]:port`, or `a port n` as two words more.
  private func addresses(of line: OptionLine) throws(OptionProblem) -> [Endpoint] {
    var result: [Endpoint] = []
    var index = 3
    while index < line.arguments.count {
      let text = line.arguments[index]
      if text == "port", !result.isEmpty {
        guard let port = line.text(index + 1).flatMap(PortNumber.of) else {
          throw OptionProblem("`dns server`: `port` needs a number", argument: index)
        }
        result[result.count - 1].port = port
        index += 2
        continue
      }
      guard let endpoint = Self.endpoint(text) else {
        throw OptionProblem("`\(text)` is not an address", argument: index)
      }
      result.append(endpoint)
      index += 1
    }
    guard result.count <= Self.mostAddresses else {
      throw OptionProblem(
        "`dns server` has more than \(Self.mostAddresses) addresses", argument: 3 + Self.mostAddresses)
    }
    return result
  }

  private static func endpoint(_ text: String) -> Endpoint? {
    if let address = IPAddress(text) { return Endpoint(address: address, port: 53) }
    guard let colon = text.lastIndex(of: ":"), let port = PortNumber.of(String(text[text.index(after: colon)...])),
      let address = IPAddress(text[..<colon])
    else { return nil }
    if case .v6 = address, !text.hasPrefix("[") { return nil }
    return Endpoint(address: address, port: port)
  }

  /// Types that matter to a gateway; the others are for other systems.
  mutating func readDHCPOption(_ line: OptionLine, warnings: inout [String]) throws(OptionProblem) {
    switch line.arguments[0].uppercased() {
    case "DNS", "DNS6":
      guard let text = line.text(1), let address = IPAddress(text) else {
        throw OptionProblem(
          "`dhcp-option \(line.arguments[0])` needs an address", argument: line.arguments.count > 1 ? 1 : 0)
      }
      Self.add(address, to: &addresses)
    case "DOMAIN", "ADAPTER_DOMAIN_SUFFIX", "DOMAIN-SEARCH":
      guard line.arguments.count > 1 else { throw OptionProblem("`dhcp-option \(line.arguments[0])` needs a name") }
      for text in line.arguments.dropFirst() { addSearchDomain(text, &warnings) }
    case "WINS", "NTP", "NBDD", "NBT", "NBS", "DISABLE-NBT", "PROXY_HTTP", "PROXY_HTTPS", "PROXY_BYPASS",
      "PROXY_AUTO_CONFIG_URL":
      break
    default:
      warnings.append("`dhcp-option \(line.arguments[0])` is unknown and left out")
    }
  }

  private mutating func addSearchDomain(_ text: String, _ warnings: inout [String]) {
    guard let name = DomainName(text) else {
      warnings.append("`\(text)` is not a domain name and is left out")
      return
    }
    Self.add(name, to: &searchDomains)
  }

  /// Once each, and no more than the limit: a server may not make us compare for ever.
  private static func add<Entry: Equatable>(_ entry: Entry, to list: inout [Entry]) {
    if list.count < ProfileLimits.dnsEntries, !list.contains(entry) { list.append(entry) }
  }

  /// Servers that lack an address, or speak only DoT or DoH, cannot be used; the next one in order counts.
  ///
  /// - Returns: one sentence for each that went.
  mutating func dropUnusableServers() -> [String] {
    var reasons: [String] = []
    servers.removeAll { server in
      if server.addresses.isEmpty {
        reasons.append("`dns server \(server.priority)` has no address and is left out")
      } else if server.isEncrypted {
        reasons.append("`dns server \(server.priority)` wants DoT or DoH, which Adit does not speak, and is left out")
      }
      return server.addresses.isEmpty || server.isEncrypted
    }
    return reasons
  }
}
