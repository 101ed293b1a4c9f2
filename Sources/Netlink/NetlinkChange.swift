package import Base
import Glibc

/// One change of the kernel's network.
package enum NetlinkChange: Hashable, Sendable, CustomStringConvertible {
  case setLink(LinkChange)
  case deleteLink(DeviceName)
  case addAddress(InterfaceAddress)
  case deleteAddress(InterfaceAddress)
  /// Replaces a route of equal destination, metric and table.
  case addRoute(Route)
  /// Only a route of equal origin, kind, device and gateway.
  case deleteRoute(Route)
  case addRule(Rule)
  case deleteRule(Rule)

  package var description: String {
    switch self {
    case .setLink(let change): "set device \(change.name)"
    case .deleteLink(let name): "delete device \(name)"
    case .addAddress(let address): "add \(address.text)"
    case .deleteAddress(let address): "delete \(address.text)"
    case .addRoute(let route): "add \(route.text)"
    case .deleteRoute(let route): "delete \(route.text)"
    case .addRule(let rule): "add \(rule.text)"
    case .deleteRule(let rule): "delete \(rule.text)"
    }
  }

  /// The device that must be there for it.
  var device: DeviceName? {
    switch self {
    case .setLink(let change): change.name
    case .deleteLink(let name): name
    case .addAddress(let address), .deleteAddress(let address): address.device
    case .addRoute(let route), .deleteRoute(let route): route.device
    case .addRule, .deleteRule: nil
    }
  }

  var isDeletion: Bool {
    switch self {
    case .deleteLink, .deleteAddress, .deleteRoute, .deleteRule: true
    case .setLink, .addAddress, .addRoute, .addRule: false
    }
  }

  func message(index: Int32?) -> Message {
    switch self {
    case .setLink(let change): change.message(index: index ?? 0)
    case .deleteLink: LinkChange.deletion(index: index ?? 0)
    case .addAddress(let address): address.message(adding: true, index: index ?? 0)
    case .deleteAddress(let address): address.message(adding: false, index: index ?? 0)
    case .addRoute(let route): route.message(adding: true, index: index)
    case .deleteRoute(let route): route.message(adding: false, index: index)
    case .addRule(let rule): rule.message(adding: true)
    case .deleteRule(let rule): rule.message(adding: false)
    }
  }

  /// True when the kernel's refusal means that what was to be deleted is not there.
  func isDone(by code: Int32) -> Bool {
    code == 0 || isDeletion && [ENODEV, ENXIO, ESRCH, ENOENT, EADDRNOTAVAIL, EAFNOSUPPORT].contains(code)
  }
}

extension InterfaceAddress {
  fileprivate var text: String { "address \(prefix)" + (peer.map { " peer \($0)" } ?? "") + " dev \(device)" }
}

extension Route {
  fileprivate var text: String {
    let name = kind == .throwing ? "throw" : "\(kind)"
    return "route \(kind == .unicast ? "" : name + " ")\(destination)" + (gateway.map { " via \($0)" } ?? "")
      + (device.map { " dev \($0)" } ?? "") + (source.map { " src \($0)" } ?? "") + " table \(table)"
      + (metric == 0 ? "" : " metric \(metric)")
  }
}

extension Rule {
  fileprivate var text: String {
    let target =
      switch action {
      case .lookup(let table): "lookup \(table)"
      case .unreachable: "unreachable"
      }
    return "IPv\(family.rawValue) rule \(priority) \(target)"
  }
}
