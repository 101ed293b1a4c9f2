import Base
import Profile
import Settings

/// What one policy section means at this moment.
struct PolicyNetwork {
  enum Way: Hashable {
    case tunnel(TunnelNetwork.ID)
    case wan
    case block
  }

  let settings: PolicySettings
  /// `nil` = it is left out: nothing can match it, or the next one decides while its tunnel is down.
  let way: Way?
  let from: PolicyTerms
  let to: PolicyTerms
  /// The key that decided on the way.
  let origin: NftOrigin

  /// - Parameters:
  ///   - tunnels: those whose device stands.
  ///   - opensWAN: whether `wan` may be taken.
  init(_ settings: PolicySettings, tunnels: [TunnelNetwork], opensWAN: Bool) {
    self.settings = settings
    from = PolicyTerms(settings.sources)
    to = PolicyTerms(settings.destinations)
    var key = "via"
    let wan = opensWAN ? Way.wan : .block
    var way: Way?
    switch settings.via {
    case _ where settings.reading != .whole: way = .block
    case .block: way = .block
    case .wan: way = wan
    case .tunnel(let name):
      let tunnel = tunnels.first { $0.state.name == name }
      // What blocks while the tunnel is down stays with it: across a reconnect its device holds the packets back.
      if let tunnel, tunnel.carriesAnything, tunnel.state.isUp || settings.onDown == .block {
        way = .tunnel(tunnel.id)
      } else {
        key = settings.keys["on_down"] == nil ? "via" : "on_down"
        switch settings.onDown {
        case .block: way = .block
        case .wan: way = wan
        case .next: way = nil
        }
      }
    }
    let isEmpty = settings.reading == .nothing || from.matchesNothing || to.matchesNothing
    self.way = isEmpty ? nil : way
    origin = NftOrigin("policy \(settings.name)", settings.keys[key] ?? settings.location)
  }
}

extension TunnelNetwork {
  /// Its index, by which its mark and table go.
  struct ID: Hashable {
    var index: Int
    /// Families that it carries now; the others are refused.
    var families: [AddressFamily]
  }

  var id: ID { ID(index: state.index, families: AddressFamily.allCases.filter(carries)) }
  var carriesAnything: Bool { !id.families.isEmpty }
}

/// The terms of one end, by how nft asks for them.
struct PolicyTerms {
  struct Side {
    var prefixes: [IPPrefix] = []
    var macs: [MACAddress] = []
    var devices: [DeviceName] = []
    var domains: [DomainName] = []
    var isEmpty: Bool { prefixes.isEmpty && macs.isEmpty && devices.isEmpty && domains.isEmpty }
  }

  private(set) var any = Side()
  private(set) var none = Side()
  /// True without a positive term: all but the negated ones match.
  private(set) var isOpen = true
  /// Positive terms that gave nothing, as an empty list does.
  var matchesNothing: Bool { !isOpen && any.isEmpty }
  var isEmpty: Bool { isOpen && none.isEmpty }

  init(_ terms: [PolicySettings.Term]) {
    for term in terms {
      if term.isNegated { Self.add(term.match, to: &none) } else { Self.add(term.match, to: &any) }
      if !term.isNegated { isOpen = false }
    }
  }

  private static func add(_ match: PolicySettings.Match, to side: inout Side) {
    switch match {
    case .prefix(let prefix): side.prefixes.append(prefix)
    case .mac(let mac): side.macs.append(mac)
    case .device(let device): side.devices.append(device)
    case .domain(let domain): side.domains.append(domain)
    case .list: break
    }
  }
}

/// What the rules of `policies` do now, for `status` and `explain`.
extension PolicyNetwork {
  func facts(_ tunnels: [TunnelNetwork]) -> NetworkPlan.PolicyFacts {
    let now: NetworkPlan.PolicyFacts.Way =
      switch way {
      case .tunnel(let id): tunnels.first { $0.state.index == id.index }.map { .tunnel($0.state.name) } ?? .block
      case .wan: .wan
      case .block: .block
      case nil: .leftOut
      }
    return NetworkPlan.PolicyFacts(name: settings.name, way: now, counter: Ruleset.policyCounter.text)
  }
}
