package import Base

/// What `adit disarm --for` has opened at this moment: it goes beside the tunnels.
package struct Openings: Hashable, Sendable {
  package var lan: Set<DeviceName>
  /// Families of the router's own packets, with scope `all`.
  package var router: Set<AddressFamily>

  package init(lan: Set<DeviceName> = [], router: Set<AddressFamily> = []) {
    self.lan = lan
    self.router = router
  }

  package static let none = Openings()
}
