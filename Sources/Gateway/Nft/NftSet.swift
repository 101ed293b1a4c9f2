package import Base

/// A named set; rules refer to it by name.
package struct NftSet: Hashable, Sendable {
  package enum Elements: Hashable, Sendable {
    case devices([DeviceName])
    /// Of one family, without overlaps.
    case prefixes(AddressFamily, [IPPrefix])
    case macs([MACAddress])
    /// Filled at run time.
    case timed(TimedSet)
  }

  package var name: NftName
  package var elements: Elements

  package init(_ name: NftName, _ elements: Elements) {
    self.name = name
    self.elements = elements
  }

  package init(_ set: TimedSet) { self.init(set.name, .timed(set)) }

  package static func devices(_ name: NftName, _ devices: some Sequence<DeviceName>) -> NftSet {
    NftSet(name, .devices(Set(devices).sorted()))
  }

  /// - Parameter prefixes: of any family and in any order; those of the family are kept, merged where they overlap.
  package static func prefixes(_ name: NftName, _ family: AddressFamily, _ prefixes: [IPPrefix]) -> NftSet {
    NftSet(name, .prefixes(family, prefixes.filter { $0.family == family }.withoutOverlaps))
  }
}

extension [IPPrefix] {
  /// Sorted, and without those that lie inside another: an interval set of nft takes no overlaps.
  var withoutOverlaps: [IPPrefix] {
    var result: [IPPrefix] = []
    for prefix in map(\.network).sorted() where !(result.last?.contains(prefix) ?? false) { result.append(prefix) }
    return result
  }
}
