import Base

extension Ruleset {
  /// What of the LANs goes beside the tunnels for a time: what `adit disarm --for` opened, and devices with a pass. The sets
  /// are asked for every packet, so a running connection ends with its exception.
  func exceptions(then statements: NftStatement...) -> [NftRule] {
    [NftRule([.from("open_lan")], then: statements, origin: .opened)]
      + AddressFamily.allCases.map { family in
        NftRule([.source(family, in: NftName("pass").of(family))], then: statements, origin: .pass)
      }
  }

  /// Rules for names of the LAN: what goes beside the tunnels asks whom it will.
  func unlessExcepted(_ rules: [NftRule]) -> [NftRule] { rules.isEmpty ? [] : exceptions(then: .return) + rules }

  /// The same for what the router sends itself. Its way is no matter of marks: it looks for one before any chain can set
  /// them, and finds main's while it is open.
  var routerException: NftRule { NftRule([.familyIn("open_router")], then: [.accept], origin: .opened) }

  /// Before the network is up no net of the house is known. What the main table sends to another LAN device, and what is no
  /// address of the internet, stays in the house; the rules let no default route count for it.
  var betweenLANs: [NftRule] {
    guard situation.opensBetweenLANs else { return [] }
    let lan = situation.surroundings.lan.sorted()
    return [
      NftRule(.routesInto(lan), .destination(.ipv4, .prefixes(WellKnown.private4)), then: .return),
      NftRule(.routesInto(lan), .destination(.ipv6, .prefixes(WellKnown.private6)), then: .return),
    ].because(.house)
  }
}

extension NftOrigin {
  static let opened = NftOrigin("adit disarm --for")
}
