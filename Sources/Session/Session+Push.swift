internal import Base
internal import ControlChannel
internal import DataChannel
internal import Exchange
internal import Profile

extension Session {
  mutating func receivePush(_ text: String, at now: Instant, into outbox: inout Outbox) {
    switch push.receive(PushedOptions.items(ofReply: text)) {
    case .more: return
    case .tooLarge: end(EndReport(fault: Fault(.pushInvalid, "too many settings")), at: now, into: &outbox)
    case .late(let items):
      // A tunnel that stands is never rebuilt by a late answer (P-19).
      let tokens = items.filter { $0.hasPrefix("auth-token") }
      if case .success(let result) = PushedOptions.parse(tokens, profile: setup.profile) {
        takeToken(result.0, into: &outbox)
      }
    case .complete(let items):
      authPendingUntil = nil
      switch PushedOptions.parse(items, profile: setup.profile) {
      case .failure(let fault): end(EndReport(fault: fault), at: now, into: &outbox)
      case .success(let result):
        outbox.notes += result.1
        outbox.notes.append(Note(.pushReceived, "\(items.count)"))
        adopt(result.0, at: now, into: &outbox)
      }
    }
  }

  private mutating func adopt(_ options: PushedOptions, at now: Instant, into outbox: inout Outbox) {
    switch outcome(of: options, serverOptions: primary?.serverOptions) {
    case .failure(let fault): return end(EndReport(fault: fault), at: now, into: &outbox)
    case .success(let chosen):
      cipher = chosen
      if options.epochDataFormat, !chosen.isAEAD || options.peerID == nil {
        let words = "aead-epoch with \(options.peerID == nil ? "no peer id" : chosen.rawValue)"
        return end(EndReport(fault: Fault(.pushInvalid, words)), at: now, into: &outbox)
      }
    }
    pushed = options
    takeToken(options, into: &outbox)
    if options.dynamicTLSCrypt {
      guard let secret = primary?.export(label: "EXPORTER-OpenVPN-dynamic-tls-crypt") else {
        return end(EndReport(fault: Fault(.keyMaterialInvalid)), at: now, into: &outbox)
      }
      dynamicWrap = ControlWrap.dynamic(
        exported: secret, over: wrapKey, role: .client, wallTime: wallTime(at: now),
        replayWindow: Self.replayWindow(setup.profile))
    }
    keepalive.ping = options.ping ?? keepalive.ping
    keepalive.restart = options.pingRestart ?? keepalive.restart
    let format = dataFormat(options)
    up = UpLane(format: format, random: random)
    down = DownLane(format: format)
    guard installKey(at: now, into: &outbox) else { return }
    nextPoll = now + keepalive.pollInterval
    stage = .applying
    outbox.events.append(.wantsNetwork(items: options.items))
  }

  private mutating func takeToken(_ options: PushedOptions, into outbox: inout Outbox) {
    guard let token = options.authToken, token != login.token else { return }
    login.receive(token: token, user: options.authTokenUser)
    outbox.events.append(.token(token, user: login.user))
    outbox.notes.append(Note(.tokenReceived))
  }

  private func dataFormat(_ options: PushedOptions) -> DataFormat {
    let profile = setup.profile
    let mtu = options.tunnel.mtu ?? profile.tunnel.mtu ?? setup.remote.tunMTU
    let framing = options.compression ?? profile.compression ?? .none
    return DataFormat(
      peerID: options.peerID, usesEpochs: options.epochDataFormat,
      compression: profile.allowsCompression ? framing : framing.withoutCompression,
      unpacks: profile.allowsCompression, fragment: largestDatagram,
      isStream: !isUDP, replayWindow: profile.replayWindow, replayTime: profile.replayTime,
      largestPayload: min(max(mtu, setup.remote.tunMTUMaximum), 65_535))
  }
}

extension Session {
  /// With `fragment`: what a datagram holds at most.
  private var largestDatagram: Int? {
    guard isUDP, let limit = setup.remote.fragment else { return nil }
    return limit.size - (limit.includesHeaders ? (setup.outerFamily == .ipv4 ? 20 : 40) + 8 : 0)
  }
}

extension CompressionFraming {
  /// The same framing with the codes of plain packets alone, for `allow-compression no`.
  fileprivate var withoutCompression: CompressionFraming {
    switch self {
    case .lzo: .lzoStub
    case .lz4: .stub
    case .lz4V2: .stubV2
    case .none, .lzoStub, .stub, .stubV2: self
    }
  }
}
