package import Base
package import Gateway
package import IO
import Netlink

extension Hands {
  /// Opens the tun device of a tunnel, and makes it when it is not there. The descriptor is the engine's.
  ///
  /// - Returns: `nil` while another process holds it: the engine of a predecessor that has not ended yet.
  /// - Throws: `.deviceTaken` when a device of that name is not ours.
  package func openTun(_ device: NetworkPlan.TunDevice) throws(Fault) -> FileDescriptor? {
    if try isStanding(device) {
      do throws(SystemFailure) {
        return try TunDevice.open(device.name, isPersistent: true)
      } catch {
        if error.number == Self.busy { return nil }
        throw Fault(.tunUnavailable, "\(error)")
      }
    }
    return try makeTun(device)
  }

  /// TUNSETIFF of a device that is in use (drivers/net/tun.c, tun_attach).
  private static let busy: Int32 = 16

  /// Makes the device where it is missing, and sets it up.
  func setDevice(_ device: NetworkPlan.TunDevice) throws(Fault) {
    if try !isStanding(device) { _ = try makeTun(device) }
    try change(
      LinkChange(
        name: device.name, mtu: device.mtu, isUp: true, transmitQueueLength: device.transmitQueueLength))
  }

  /// True when the device is there and ours, false when it is not there.
  private func isStanding(_ device: NetworkPlan.TunDevice) throws(Fault) -> Bool {
    let link: Link?
    do throws(NetlinkFailure) {
      link = try netlink.link(named: device.name)
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
    guard let link else { return false }
    guard link.kind == "tun", link.alias == device.alias else {
      throw Fault(.deviceTaken, "\(device.name)" + (link.alias.map { " (\($0))" } ?? ""))
    }
    return true
  }

  /// The alias comes before the persistence: a device that outlives us must say whose it is.
  private func makeTun(_ device: NetworkPlan.TunDevice) throws(Fault) -> FileDescriptor {
    let tun: FileDescriptor
    do throws(SystemFailure) {
      tun = try TunDevice.open(device.name, isPersistent: false)
    } catch {
      throw Fault(.tunUnavailable, "\(error)")
    }
    try change(LinkChange(name: device.name, alias: device.alias))
    do throws(SystemFailure) {
      try TunDevice.persist(tun)
    } catch {
      throw Fault(.tunUnavailable, "\(error)")
    }
    return tun
  }

  private func change(_ change: LinkChange) throws(Fault) {
    do throws(NetlinkFailure) {
      try netlink.perform(.setLink(change))
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
  }
}
