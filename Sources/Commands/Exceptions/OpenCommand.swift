import Base
import Control
import Gateway
import Glibc
import Hands
import IO
import Netlink

/// `adit disarm --for` and its early end: the armed LANs, and the router, go out by the WAN until the kernel's time is over.
package enum OpenCommand {
  package static func run(for span: Duration) -> ExitCode {
    guard geteuid() == 0 else { return Terminal.fail(.noPermission, "disarm needs root") }
    do throws(Fault) {
      guard let devices = try Exceptions.armedDevices() else {
        return Terminal.fail(.unavailable, "nothing is armed: all goes the ordinary way already")
      }
      let elements =
        devices.map { TimedElement(set: .openLAN, value: .device($0), timeout: span) }
        + AddressFamily.allCases.map { TimedElement(set: .openRouter, value: .family($0), timeout: span) }
      let notes = Hands.addNow(elements.compactMap { $0 })
      for note in notes { Terminal.complain("adit: \(note)\n") }
      guard notes.isEmpty else { return .failure }
      // What the router sends looks for its way before nft can mark it. nft alone closes it again.
      try removeRouterRows()
      try forgetConnections(of: devices)
      let wall = Clock.wallTime
      let until = LocalClock.text(wall + span, now: wall)
      Terminal.say("open until \(until) (\(StatusText.span(span.components.seconds))); `adit arm` closes it before\n")
      return .ok
    } catch {
      return Terminal.fail(.failure, error.sentence)
    }
  }

  /// Closes what is open for a time.
  /// - Returns: false when nothing was.
  static func close() throws(Fault) -> Bool {
    let exceptions = try Exceptions.read()
    guard exceptions.isOpen else { return false }
    let notes = Hands.removeNow(exceptions.closing)
    if let first = notes.first { throw Fault(.firewallFailed, first) }
    try forgetConnections(of: Array(exceptions.openLAN.keys))
    return true
  }

  private static func forgetConnections(of devices: [DeviceName]) throws(Fault) {
    let nets = try LANPlaces.find(devices).nets.map(\.prefix)
    RunningConnections.forget { source in nets.contains { $0.contains(source) } }
  }

  private static func removeRouterRows() throws(Fault) {
    do throws(NetlinkFailure) {
      let netlink = try NetlinkSocket()
      let rows = try netlink.snapshot().rules.filter(RoutingTables.isRouterRow)
      if let failure = netlink.perform(rows.map { .deleteRule($0) }).compactMap({ $0 }).first { throw failure }
    } catch {
      throw Fault(.networkPlanFailed, "\(error)")
    }
  }
}
