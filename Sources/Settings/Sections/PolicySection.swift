import Base
import Profile

enum PolicySection {
  /// Broken sections never open the WAN: what can be read of one is blocked, and `reading` tells how far that goes.
  static func read(
    _ reader: inout SectionReader, name: TunnelName, references: inout [Assembly.Reference]
  ) -> PolicySettings {
    reader.checkKeys()
    // A key that nobody knows may be the one that was to narrow it.
    let hasStrangeKeys = reader.isBroken
    var policy = PolicySettings(name: name, location: reader.section.location)
    policy.keys = reader.keyLocations
    policy.sources = terms("src", of: &reader, allowing: .source)
    policy.destinations = terms("dest", of: &reader, allowing: .destination)
    policy.protocols = reader.values("proto") { IPProtocol($0) }
    policy.sourcePorts = reader.values("src_port", ports)
    policy.destinationPorts = reader.values("dest_port", ports)
    let read = [
      "src": policy.sources.count, "dest": policy.destinations.count, "proto": policy.protocols.count,
      "src_port": policy.sourcePorts.count, "dest_port": policy.destinationPorts.count,
    ]
    for (key, count) in read {
      let written = reader.words(key).count
      if count < written { policy.reading = max(policy.reading, count == 0 ? .nothing : .part) }
    }
    let takesPorts = !policy.protocols.isEmpty && policy.protocols.allSatisfy { [.tcp, .udp].contains($0) }
    if !takesPorts, let word = (reader.words("src_port") + reader.words("dest_port")).first {
      reader.fail(word.location, "ports need `list proto` with tcp or udp only")
      policy.reading = .nothing
    }
    if hasStrangeKeys { policy.reading = .nothing }
    policy.via = way(&reader, policy: name, references: &references)
    if let onDown = reader.choice("on_down", as: PolicySettings.OnDown.self) { policy.onDown = onDown }
    return policy
  }

  private static func way(
    _ reader: inout SectionReader, policy: TunnelName, references: inout [Assembly.Reference]
  ) -> PolicySettings.Way {
    guard let word = reader.words("via").last else {
      reader.fail(reader.section.nameLocation, "a policy needs `option via`")
      return .block
    }
    switch word.text {
    case "wan": return .wan
    case "block": return .block
    default:
      guard let tunnel = TunnelName(word.text) else {
        reader.failValue(word, of: "via")
        return .block
      }
      references.append(Assembly.Reference(tunnel: tunnel, location: word.location, policy: policy))
      return .tunnel(tunnel)
    }
  }

  private static func terms(
    _ key: String, of reader: inout SectionReader, allowing end: PolicySettings.End
  ) -> [PolicySettings.Term] {
    var terms: [PolicySettings.Term] = []
    for word in reader.words(key) {
      guard let term = PolicySettings.Term(word.text, at: word.location) else {
        reader.failValue(word, of: key)
        continue
      }
      if let reason = term.match.misplaced(in: end) {
        reader.fail(word.location, "`\(key)` \(reason)")
        continue
      }
      terms.append(term)
    }
    return terms
  }

  private static func ports(_ text: String) -> Rule.Ports? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = UInt16(parts[0]), first > 0 else { return nil }
    guard parts.count == 2 else { return Rule.Ports(first) }
    guard let last = UInt16(parts[1]), last >= first else { return nil }
    return Rule.Ports(first: first, last: last)
  }
}

extension PolicySettings.Term {
  /// `192.168.1.50`, `!@br-guest`, `file:streams`.
  init?(_ text: String, at location: SourceLocation) {
    let isNegated = text.hasPrefix("!")
    guard let match = PolicySettings.Match(isNegated ? text.dropFirst() : text[...]) else { return nil }
    self.init(match: match, isNegated: isNegated, location: location)
  }
}

extension PolicySettings.Match {
  init?(_ text: Substring) {
    if text.hasPrefix("@") {
      guard let device = DeviceName(text.dropFirst()) else { return nil }
      self = .device(device)
    } else if text.hasPrefix("file:") {
      guard text.utf8.count > 5 else { return nil }
      self = .list(String(text.dropFirst(5)))
    } else if let mac = MACAddress(text) {
      self = .mac(mac)
    } else if let prefix = IPPrefix(text) {
      self = .prefix(prefix.network)
    } else {
      // A name of digits and dots alone is a mistyped address.
      guard text.contains(where: \.isLetter), text.contains("."), let domain = DomainName(text) else { return nil }
      self = .domain(domain)
    }
  }

  /// Why it cannot stand at that end of a connection; `nil` when it can.
  func misplaced(in end: PolicySettings.End) -> String? {
    switch (self, end) {
    case (.domain, .source): "takes no domain: names are looked up for destinations only"
    case (.mac, .destination): "takes no MAC address: only a sender's is known"
    case (.device, .destination): "takes no device: the way decides by which one a packet leaves"
    default: nil
    }
  }
}
