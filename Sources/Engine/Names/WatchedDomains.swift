package import Profile

/// The domains of all policies, asked by name: which of them is it, or lies it under?
package struct WatchedDomains {
  private let places: [Substring: UInt32]

  package init(_ domains: [DomainName]) {
    var places: [Substring: UInt32] = [:]
    places.reserveCapacity(domains.count)
    for (place, domain) in domains.enumerated() { places[domain.text[...]] = UInt32(place) }
    self.places = places
  }

  package var isEmpty: Bool { places.isEmpty }

  /// Place in the list of the domain that the name equals or is a subdomain of; of several the nearest.
  ///
  /// - Parameter name: dotted, lower-case.
  package func nearest(to name: String) -> UInt32? {
    var rest = name[...]
    while true {
      if let place = places[rest] { return place }
      guard let dot = rest.firstIndex(of: ".") else { return nil }
      rest = rest[rest.index(after: dot)...]
    }
  }
}
