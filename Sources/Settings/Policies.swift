package import Base
package import Profile

/// An exception for some devices, destinations or ports. In order; the first that matches decides.
package struct PolicySettings: Hashable, Sendable {
  package enum Match: Hashable, Sendable {
    case prefix(IPPrefix)
    case mac(MACAddress)
    case device(DeviceName)
    /// With its subdomains.
    case domain(DomainName)
    /// A file of the configuration directory with one entry a line, put in its place before anything is planned. One that is
    /// left then was empty or unreadable, and matches nothing.
    case list(String)
  }

  package struct Term: Hashable, Sendable {
    package var match: Match
    package var isNegated: Bool
    /// Where it is written, for a list its place in the section.
    package var location: SourceLocation?

    package init(match: Match, isNegated: Bool = false, location: SourceLocation? = nil) {
      self.match = match
      self.isNegated = isNegated
      self.location = location
    }
  }

  package enum End: Hashable, Sendable { case source, destination }
  package enum Way: Hashable, Sendable { case tunnel(TunnelName), wan, block }
  package enum OnDown: String, Hashable, Sendable { case block, wan, next }

  /// How much of what it matches could be read.
  package enum Reading: Int, Hashable, Sendable, Comparable {
    case whole
    /// Some entries could not: the others are blocked.
    case part
    /// So little that it matches nothing.
    case nothing

    package static func < (left: Reading, right: Reading) -> Bool { left.rawValue < right.rawValue }
  }

  package var name: TunnelName
  /// Any positive term matches or there is none, and no negated term matches. So for `destinations`.
  package var sources: [Term] = []
  package var destinations: [Term] = []
  /// Any of them; all when empty. So for the ports.
  package var protocols: [IPProtocol] = []
  package var sourcePorts: [Rule.Ports] = []
  package var destinationPorts: [Rule.Ports] = []
  package var via: Way = .block
  package var onDown: OnDown = .block
  package var reading: Reading = .whole
  package var keys = KeyLocations()
  package var location: SourceLocation

  package init(name: TunnelName, location: SourceLocation) {
    self.name = name
    self.location = location
  }
}
