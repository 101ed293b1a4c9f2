internal import Base
internal import ControlChannel
internal import Crypto
internal import DataChannel
internal import Exchange
internal import Profile
internal import TLS
internal import Wire

extension Session {
  /// How long a new key rests after the peer's last word on it, so that a lost acknowledgement of ours is noticed (the
  /// peer repeats after 2 s) before data depends on it.
  private static let settling: Duration = .seconds(3)

  /// Safe with every server (protocol.md section 2.2).
  private static let sendWindow = 4

  func makeKey(_ keyID: UInt8, reset: Opcode, at now: Instant) throws(Fault) -> KeyState {
    // Unwrapped servers may be SoftEther, whose parser takes four (H-10).
    let reliable = Reliable(
      keyID: keyID, isStream: !isUDP, sendWindow: Self.sendWindow, firstTimeout: timers.tlsTimeout,
      acknowledgementLimit: wrapKey.authenticates ? 8 : Reliable.piggybackLimit)
    return try KeyState(
      keyID: keyID, reset: reset, context: context, wallTime: wallTime(at: now), reliable: reliable, at: now)
  }

  func wallTime(at now: Instant) -> WallTime {
    WallTime(seconds: clock.time.seconds &+ (now - clock.at).wholeNanoseconds / 1_000_000_000)
  }

  /// 0 once, then 1 to 7 and 1 again (protocol.md section 12.1).
  var nextKeyID: UInt8 {
    guard let current = primary?.keyID else { return 0 }
    return current == 7 ? 1 : current + 1
  }

  var acceptsSoftReset: Bool { primary?.hasDataKey == true && primary?.phase == .active && stage != .leaving }

  /// New keys, asked for by either side.
  mutating func beginRenegotiation(by whom: String, at now: Instant, into outbox: inout Outbox) {
    let fresh: KeyState
    do throws(Fault) {
      fresh = try makeKey(nextKeyID, reset: .softResetV1, at: now)
    } catch {
      return end(EndReport(fault: Fault(.renegotiationFailed, error.sentence)), at: now, into: &outbox)
    }
    outbox.notes.append(Note(.renegotiating, whom))
    if let old = lameDuck.take() { retire(old) }
    lameDuck = primary.take()
    lameDuck?.diesAt = now + timers.transitionWindow
    peerUsesNewKey = false
    primary = fresh
    chooseSendingKey(at: now)
  }

  private mutating func retire(_ key: KeyState) {
    guard key.hasDataKey else { return }
    up?.retire(keyID: key.keyID)
    down?.retire(keyID: key.keyID)
  }

  mutating func retireLameDuck(at now: Instant, into outbox: inout Outbox) {
    guard let old = lameDuck.take() else { return }
    retire(old)
    if primary?.hasDataKey != true { return end(EndReport(fault: Fault(.keysExpired)), at: now, into: &outbox) }
    chooseSendingKey(at: now)
  }

  /// Our half of the key exchange, once TLS is up.
  mutating func sendKeyMessage(_ slot: Slot, at now: Instant, into outbox: inout Outbox) {
    usedToken = login.usesToken
    let message = ClientKeyMessage(
      preMaster: random.secret(48), random1: random.secret(32), random2: random.secret(32),
      options: OptionsString(profile: setup.profile, remote: setup.remote).text, user: login.user ?? "",
      password: login.password, peerInfo: PeerInfo.text(profile: setup.profile, remote: setup.remote))
    let written = slot == .primary ? primary?.write(message) : lameDuck?.write(message)
    if written != true {
      let fault = Fault(.configurationInvalid, "user name and password are longer than any server reads")
      end(EndReport(fault: fault), at: now, into: &outbox)
    }
  }

  /// Derives the newest key's material and puts it into both lanes: received at once, sent on when the time has come.
  mutating func installKey(at now: Instant, into outbox: inout Outbox) -> Bool {
    guard let serverID, let cipher, let keyID = primary?.keyID, let pushed,
      let block = primary?.takeBlock(exported: pushed.exportsKeys, client: sessionID, server: serverID)
    else {
      end(EndReport(fault: Fault(.keyMaterialInvalid)), at: now, into: &outbox)
      return false
    }
    let key = DataKey(
      keyID: keyID, cipher: cipher, auth: cipher.isAEAD ? nil : pushed.auth ?? setup.profile.auth, block: block)
    guard up?.install(key) == true, down?.install(key) == true else {
      end(EndReport(fault: Fault(.keyMaterialInvalid)), at: now, into: &outbox)
      return false
    }
    primary?.hasDataKey = true
    traffic.begin(total: laneTotal)
    chooseSendingKey(at: now)
    if isSwitchPending { nextPoll = now + .seconds(1) }
    return true
  }

  /// The first key with material whose rest is over; else the first with material (protocol.md section 12.4).
  mutating func chooseSendingKey(at now: Instant) {
    let isRested = lameDuck?.hasDataKey != true || switchTime.map { $0 <= now } == true
    let chosen =
      primary?.hasDataKey == true && isRested
      ? primary?.keyID : lameDuck?.hasDataKey == true ? lameDuck?.keyID : nil
    guard let chosen else { return }
    sendingKeyID = chosen
    up?.send(with: chosen)
  }

  /// When the newest key may carry data; `nil` while it is not agreed on by both sides.
  var switchTime: Instant? {
    guard primary?.hasDataKey == true, let active = primary?.activeSince, let begun = primary?.begun,
      let last = primary?.lastReceived
    else { return nil }
    // A packet of the peer under the new key proves more than any wait.
    return peerUsesNewKey ? active : max(begun + holdOff, max(active, last) + Self.settling)
  }

  /// True while data still leaves with the old key.
  var isSwitchPending: Bool {
    primary?.hasDataKey == true && lameDuck?.hasDataKey == true && sendingKeyID != primary?.keyID
  }

  private var holdOff: Duration {
    let half = timers.renegotiateAfter / 2
    return half > .zero ? min(timers.handWindow, half) : timers.handWindow
  }

  /// Which cipher the data channel gets (protocol.md section 6.3).
  func outcome(of pushed: PushedOptions, serverOptions: String?) -> Result<DataCipher, Fault> {
    let profile = setup.profile
    if let cipher = pushed.cipher {
      guard profile.dataCiphers.contains(cipher) || cipher == profile.cipher else {
        return .failure(Fault(.cipherRefused, cipher.rawValue))
      }
      return .success(cipher)
    }
    // A server that does not negotiate: its own cipher when the profile allows it, else what the profile names for such.
    let named = serverOptions.flatMap { OptionsString.value(of: "cipher", in: $0) }
    let allowed = profile.dataCiphers + [profile.dataCipherFallback, profile.cipher].compactMap { $0 }
    if let cipher = named.flatMap({ DataCipher(name: $0) }), allowed.contains(cipher) { return .success(cipher) }
    if let fallback = profile.dataCipherFallback ?? profile.cipher { return .success(fallback) }
    return .failure(named.map { Fault(.cipherRefused, $0) } ?? Fault(.cipherRefused, "the server names none"))
  }
}

/// Which of the two keys.
enum Slot { case primary, lameDuck }
