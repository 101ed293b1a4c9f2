package import Base

/// What the kernel knows of the way to the internet at one moment, without sending anything.
package struct WayFacts: Hashable, Sendable {
  /// A device by which the internet is or was reached.
  package struct Uplink: Hashable, Sendable {
    package var device: DeviceName
    /// `nil` = it is gone.
    package var link: Link?
    package var isWireless: Bool
    /// Those that reach beyond the link.
    package var addresses: [IPAddress]

    var hasLink: Bool { link.map { $0.isUp && $0.hasCarrier } ?? false }

    package init(device: DeviceName, link: Link?, isWireless: Bool = false, addresses: [IPAddress] = []) {
      self.device = device
      self.link = link
      self.isWireless = isWireless
      self.addresses = addresses
    }
  }

  /// By preference.
  package var uplinks: [Uplink]
  /// How the server, or anything, would be reached.
  package var path: Path?

  package init(uplinks: [Uplink], path: Path?) {
    self.uplinks = uplinks
    self.path = path
  }
}

/// What asking around found out.
package struct OutsideFacts: Hashable, Sendable {
  /// Who was asked, beyond the provider's router.
  package var asked: [IPAddress]
  package var answered: [IPAddress]
  /// The server itself is among those asked: its silence alone says nothing of the internet.
  package var server: IPAddress?

  package init(asked: [IPAddress], answered: [IPAddress], server: IPAddress?) {
    self.asked = asked
    self.answered = answered
    self.server = server
  }
}

extension Evidence {
  /// Cable, address and route, as the kernel has them now.
  package mutating func look(_ facts: WayFacts, at now: Instant) {
    let used = facts.path.flatMap { path in facts.uplinks.first { $0.device == path.device } }
    let candidates = used.map { [$0] } ?? facts.uplinks
    guard let first = candidates.first else {
      for layer in [Fault.Layer.carrier, .address] { forget(layer) }
      lookForRoute(facts, "no uplink is known", at: now)
      return
    }
    // Of several the one that comes nearest to being a way; else the preferred one is to blame.
    let judged = candidates.first { $0.hasLink && !$0.addresses.isEmpty } ?? first
    let device = judged.device
    guard judged.hasLink else {
      fails(Self.carrierFault(judged), judged.link == nil ? "\(device) is gone" : "\(device) has no link", at: now)
      for layer in [Fault.Layer.address, .gateway, .outside] { forget(layer) }
      return
    }
    shows(.carrier, "\(device) has a link", at: now)
    // A way without an address of its own is one all the same: point to point, or unnumbered.
    guard let address = judged.addresses.first else {
      if facts.path != nil {
        shows(.address, "\(device) needs none", at: now)
        return lookForRoute(facts, "", at: now)
      }
      fails(Fault(.noAddress, device.text), "\(device) has none", at: now)
      for layer in [Fault.Layer.gateway, .outside] { forget(layer) }
      return
    }
    shows(.address, "\(device) has \(address)", at: now)
    lookForRoute(facts, "\(device) has an address, but no default route leads out", at: now)
  }

  private mutating func lookForRoute(_ facts: WayFacts, _ words: String, at now: Instant) {
    if facts.path == nil {
      fails(Fault(.noPath, words), words, at: now)
      forget(.outside)
    } else if items[.gateway]?.fault?.code == .noPath {
      shows(.gateway, "a route leads out", at: now)
    }
  }

  private static func carrierFault(_ uplink: WayFacts.Uplink) -> Fault {
    if let link = uplink.link, !link.isUp { return Fault(.uplinkOff, uplink.device.text) }
    return Fault(uplink.isWireless ? .wifiLost : .carrierLost, uplink.device.text)
  }

  /// - Parameter answers: `nil` = it cannot be told.
  package mutating func askedGateway(_ gateway: IPAddress, answers: Bool?, at now: Instant) {
    switch answers {
    case true?: shows(.gateway, "\(gateway) answers", at: now)
    case false?: fails(Fault(.gatewaySilent, gateway.description), "\(gateway) does not answer", at: now)
    case nil: if items[.gateway]?.fault?.code == .gatewaySilent { forget(.gateway) }
    }
  }

  package mutating func askedOutside(_ facts: OutsideFacts, at now: Instant) {
    if !facts.answered.isEmpty {
      shows(.outside, "\(Self.list(facts.answered)) \(facts.answered.count == 1 ? "answers" : "answer")", at: now)
    } else if facts.asked.contains(where: { $0 != facts.server }) {
      let asked = Self.list(facts.asked)
      fails(
        Fault(.outsideSilent, "asked \(asked)"), "\(asked) \(facts.asked.count == 1 ? "does" : "do") not answer",
        at: now)
    } else {
      forget(.outside)
    }
  }

  private static func list(_ addresses: [IPAddress]) -> String {
    addresses.map(\.description).joined(separator: ", ")
  }
}
