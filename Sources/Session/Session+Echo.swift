package import Base
internal import DataChannel
internal import Exchange
internal import Profile

// Questions of our own inside the tunnel.

extension Session {
  /// True while something is asked through the tunnel.
  var isListening: Bool { echo.isWaiting || liveness.isAsking }

  /// Takes the answers to our questions out of a burst that the down lane has opened, and sees that the server lives. Does nothing
  /// while nothing is asked.
  ///
  /// - Returns: true when something came of it.
  @discardableResult
  package mutating func listen(_ burst: inout Burst, at now: Instant, into outbox: inout Outbox) -> Bool {
    guard isListening, stage == .applying || stage == .up else { return false }
    let wasAsking = liveness.isAsking
    let taken = echo.takenPackets
    var index = 0
    while index < burst.count {
      if burst[index].verdict == .forward, let answer = echo.answer(burst.bytes(index), at: now) {
        burst[index].verdict = .consumed
        take(answer, at: now, into: &outbox)
      }
      index += 1
    }
    if liveness.isAsking { observeLanes(at: now, into: &outbox) }
    return liveness.isAsking != wasAsking || echo.takenPackets != taken
  }

  private mutating func take(_ answer: InnerEcho.Answer, at now: Instant, into outbox: inout Outbox) {
    switch answer.purpose {
    case .life:
      let proof = liveness.answered(sentAt: answer.sentAt, roundTrip: answer.roundTrip, at: now)
      if let proof { tell(proof, at: now, into: &outbox) }
    case .size: takeSize(answer, at: now, into: &outbox)
    }
  }

  /// Asks through the tunnel.
  ///
  /// - Parameter size: of the whole IP packet.
  /// - Returns: false when there is nobody to ask, or no key to ask with.
  mutating func ask(
    _ purpose: InnerEcho.Purpose, size: Int = 0, isWhole: Bool = false, at now: Instant, into outbox: inout Outbox
  ) -> Bool {
    guard let (source, target) = echoEnds,
      let packet = echo.request(purpose, from: source, to: target, size: size, isWhole: isWhole, at: now),
      let sealed = up?.packets(of: packet), !sealed.isEmpty
    else { return false }
    if isWhole { outbox.wholePackets += sealed } else { outbox.packets += sealed }
    return true
  }

  /// Our address in the tunnel, and whom to ask: the probe that `health` names, else the VPN gateway.
  var echoEnds: (source: IPAddress, target: IPAddress)? {
    guard let pushed else { return nil }
    let options = TunnelOptions.merged(local: setup.profile.tunnel, pushed: pushed.tunnel)
    let ours: [IPAddress] = [options.ipv4.map { .v4($0.local) }, options.ipv6?.prefix.address].compactMap { $0 }
    for target in [health.target, options.gateway, options.gatewayIPv6].compactMap({ $0 }) {
      if let source = ours.first(where: { $0.family == target.family }), source != target { return (source, target) }
    }
    return nil
  }
}

extension TunnelOptions {
  /// Who answers at the other end.
  fileprivate var gateway: IPAddress? {
    if let routeGateway, routeGateway.value != 0 { return .v4(routeGateway) }
    guard let ipv4, ipv4.second.netmaskLength == nil else { return nil }
    // The peer of a /30 is nobody: such servers push a route to their own address instead (protocol.md section 13.6).
    for route in routes where route.isPushed && route.gateway == .vpn {
      if case .prefix(let prefix) = route.destination, prefix.length == 32 { return prefix.address }
    }
    return .v4(ipv4.second)
  }

  fileprivate var gatewayIPv6: IPAddress? { (routeGatewayIPv6 ?? ipv6?.remote).map { .v6($0) } }
}
