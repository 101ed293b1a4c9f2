package import Base
internal import DataChannel
internal import Exchange
internal import Profile

// How large the packets in the tunnel may be.

extension Session {
  /// Finds it out, from now on and again whenever that may have changed. Over TCP nothing is to be found: the connection
  /// cuts its stream into segments that fit, whatever is put into it. With `fragment` the tunnel does that.
  ///
  /// - Parameters:
  ///   - ceiling: bytes of the largest inner packet there may be.
  ///   - start: what passed the last time on this way.
  package mutating func measure(ceiling: Int, start: Int?, at now: Instant, into outbox: inout Outbox) {
    guard stage == .up, isUDP, let cipher, let format = up?.format, format.fragment == nil else { return }
    let overhead = PacketOverhead(
      format, cipher: cipher, auth: pushed?.auth ?? setup.profile.auth, outer: setup.outerFamily)
    sizes = (PathMTUSearch(overhead, ceiling: min(ceiling, format.largestPayload), start: start, at: now), overhead)
    followSizes(at: now, into: &outbox)
  }

  /// The network, or our own device, named the MTU of the path: hearsay.
  package mutating func pathReported(mtu: Int, at now: Instant, into outbox: inout Outbox) {
    guard stage == .up else { return }
    sizes?.search.reported(outer: mtu, at: now)
    followSizes(at: now, into: &outbox)
  }

  mutating func searchSizes(at now: Instant, into outbox: inout Outbox) {
    let packets = laneTotal.packets
    sizes?.search.wake(packets: packets, at: now)
    followSizes(at: now, into: &outbox)
  }

  mutating func takeSize(_ answer: InnerEcho.Answer, at now: Instant, into outbox: inout Outbox) {
    sizes?.search.answered(size: answer.size, roundTrip: answer.roundTrip, at: now)
    followSizes(at: now, into: &outbox)
  }

  private mutating func followSizes(at now: Instant, into outbox: inout Outbox) {
    guard let (_, overhead) = sizes else { return }
    for size in sizes?.search.takeEchoes() ?? [] {
      _ = ask(.size, size: size, isWhole: size != PathMTUSearch.companion, at: now, into: &outbox)
    }
    guard let found = sizes?.search.takeFinding() else { return }
    outbox.events.append(.mtu(UInt16(clamping: found)))
    let wanted = setup.remote.mssFix == .standard ? nil : setup.remote.mssFix.largestPacket(overhead, path: found)
    // Headers of IPv4 and TCP.
    let segment = min(found, wanted ?? found) - 40
    outbox.notes.append(Note(.pathMTU, "\(overhead.outer(inner: found))", "\(found)", "\(segment)"))
  }
}
