import Base
import ControlChannel
import Crypto
import DataChannel
import Profile
import Session
import TLS
import TestKit
import Wire

/// A client that shows everything: made of the same rooms as `Session`, which rightly lets nobody see its keys.
///
/// It can also make itself older than `Session` ever is, so that servers answer with DATA_V1 or without an exporter.
final class RecordedClient {
  struct Failure: Error { var reason: String }

  /// Bits of IV_PROTO.
  struct Claims {
    var dataV2 = true
    var exportsKeys = true

    var bits: UInt32 {
      typealias Ability = PeerInfo.Ability
      var bits = PeerInfo.abilities
      if !dataV2 { bits &= ~Ability.dataV2.rawValue }
      if !exportsKeys { bits &= ~(Ability.tlsKeyExport.rawValue | Ability.dynamicTLSCrypt.rawValue) }
      return bits
    }
  }

  var notebook: Notebook
  /// False leaves the control packets out of the notebook.
  let recordsControl: Bool

  private let profile: Profile
  private let remote: Remote
  private let claims: Claims
  private let socket: WireSocket
  private let context: TLSContext
  private let wrapKey: WrapKey
  private let wallTime: WallTime
  private let random = RandomSource.system
  private let began = bootTime()
  private let sessionID: SessionID
  private var serverID: SessionID?
  private var wrap: ControlWrap
  private var dynamic: ControlWrap?
  private var keys: [ClientNegotiation] = []
  private var pushed: PushedOptions?
  private var hasAsked = false
  private var cipher = DataCipher.aes256GCM
  private var up: UpLane?
  private var sequence: UInt16 = 0

  init(
    _ profile: Profile, claims: Claims, wallTime: WallTime, notebook: Notebook, recordsControl: Bool
  ) throws {
    guard let remote = profile.remotes.first else { throw Failure(reason: "no remote") }
    self.profile = profile
    self.remote = remote
    self.claims = claims
    self.wallTime = wallTime
    self.notebook = notebook
    self.recordsControl = recordsControl
    socket = try WireSocket(to: remote)
    context = try TLSContext(profile.tls, role: .client, wallTime: wallTime)
    wrapKey = try WrapKey(of: remote, digest: profile.auth)
    wrap = ControlWrap(wrapKey, role: .client, wallTime: wallTime)
    sessionID = SessionID(random.uint64() | 1)
  }

  /// Up to the data keys.
  func connect() throws {
    notebook.write(setupOf: profile, remote)
    try begin(0, reset: wrapKey.usesThirdReset ? .hardResetClientV3 : .hardResetClientV2)
    try run(for: .seconds(10)) { self.up != nil }
    guard up != nil else { throw Failure(reason: "not connected") }
  }

  /// A soft reset of ours; data leaves with the new key at once.
  func renegotiate() throws {
    let keyID = UInt8(keys.count)
    try begin(keyID, reset: .softResetV1)
    try run(for: .seconds(10)) { self.keys[Int(keyID)].isActive }
    try install(keys[Int(keyID)])
  }

  func sendEchoes() throws {
    guard let source = pushed?.tunnel.ipv4?.local else { throw Failure(reason: "no address") }
    for payload in Echo.payloads {
      sequence += 1
      let request = Echo.request(from: source, sequence: sequence, payload: payload)
      guard let sealed = up?.seal(request, isStream: remote.transport == .tcp).first else {
        throw Failure(reason: "no key")
      }
      try send(sealed, isData: true)
      try run(for: .milliseconds(100))
    }
  }

  func send(message: [UInt8]) throws {
    if let sealed = up?.seal(message: message) { try send(sealed, isData: true) }
  }

  func run(for duration: Duration, until isDone: () -> Bool = { false }) throws {
    let end = bootTime() + duration
    while !isDone(), bootTime() < end {
      if let packet = try socket.receive(within: 10) { try receive(packet) }
      for key in keys {
        key.pump()
        if let fault = key.failure { throw Failure(reason: "\(fault.code) \(fault.detail ?? "")") }
      }
      try settle()
      try flush()
    }
  }

  // MARK: Inside

  private func begin(_ keyID: UInt8, reset: Opcode) throws {
    let peerInfo = PeerInfo.text(profile: profile, remote: remote)
      .split(separator: "\n").map { $0.hasPrefix("IV_PROTO=") ? "IV_PROTO=\(claims.bits)\n" : "\($0)\n" }.joined()
    let message = ClientKeyMessage(
      preMaster: random.secret(48), random1: random.secret(32), random2: random.secret(32),
      options: OptionsString(profile: profile, remote: remote).text, user: "", password: nil, peerInfo: peerInfo)
    keys.append(
      try ClientNegotiation(
        keyID: keyID, reset: reset, message: message, context: context, isStream: remote.transport == .tcp))
    try flush()
  }

  private func receive(_ packet: [UInt8]) throws {
    guard let first = packet.first, let head = PacketHead(byte: first) else { return }
    note(packet, .server, isData: head.isData)
    if head.isData { return }
    let opened = (head.keyID > 0 ? dynamic?.open(packet) : nil) ?? wrap.open(packet)
    guard case .success(let control) = opened else { throw Failure(reason: "control packet refused: \(opened)") }
    if serverID == nil { serverID = control.sessionID }
    _ = keys.first { $0.keyID == control.keyID }?.reliable.receive(control, at: bootTime())
  }

  private func settle() throws {
    guard pushed == nil, let key = keys.first, key.isActive else { return }
    guard let reply = key.texts.first(where: { $0.hasPrefix("PUSH_REPLY") }) else {
      if !hasAsked { key.say("PUSH_REQUEST") }
      hasAsked = true
      return
    }
    guard case .success((let options, _)) = PushedOptions.parse(PushedOptions.items(ofReply: reply), profile: profile)
    else { throw Failure(reason: "push: \(reply)") }
    pushed = options
    cipher = options.cipher ?? profile.cipher ?? cipher
    notebook.write("text <", reply)
    notebook.write("peer-id", options.peerID.map { "\($0)" } ?? "none")
    notebook.write("cipher", cipher.rawValue)
    if options.dynamicTLSCrypt, let secret = key.export("EXPORTER-OpenVPN-dynamic-tls-crypt") {
      notebook.write("dynamic", Base64.text(secret.exposed))
      dynamic = ControlWrap.dynamic(exported: secret, over: wrapKey, role: .client, wallTime: wallTime)
    }
    let format = DataFormat(
      peerID: options.peerID, compression: options.compression ?? profile.compression ?? .none,
      isStream: remote.transport == .tcp)
    notebook.write("framing", format.compression.rawValue)
    up = UpLane(format: format, random: random)
    try install(key)
  }

  private func install(_ key: ClientNegotiation) throws {
    guard let serverID, let serverMessage = key.serverMessage,
      let block = key.block(exported: pushed?.exportsKeys == true, client: sessionID, server: serverID)
    else { throw Failure(reason: "no key block") }
    if key.keyID == 0 { notebook.write("sessions", Hex.text(sessionID.bytes), Hex.text(serverID.bytes)) }
    let isExported = pushed?.exportsKeys == true
    if !isExported { notebook.write("message", .client, key.message.encoded() ?? []) }
    notebook.write("message", .server, serverMessage)
    notebook.write("block", "\(key.keyID)", isExported ? "exported" : "expanded", Base64.text(block.exposed))
    _ = up?.install(DataKey(keyID: key.keyID, cipher: cipher, auth: cipher.isAEAD ? nil : profile.auth, block: block))
    up?.send(with: key.keyID)
  }

  private func flush() throws {
    for key in keys {
      for due in key.reliable.packetsDue(at: bootTime()) {
        try seal(
          ControlPacket(
            opcode: due.opcode, keyID: key.keyID, sessionID: sessionID, acknowledgements: due.acknowledgements,
            peerSessionID: serverID, messageID: due.messageID, payload: due.payload))
      }
      while let ids = key.reliable.acknowledgementDue() {
        try seal(
          ControlPacket(
            opcode: .ackV1, keyID: key.keyID, sessionID: sessionID, acknowledgements: ids, peerSessionID: serverID))
      }
    }
  }

  private func seal(_ packet: ControlPacket) throws {
    try send((packet.keyID > 0 ? dynamic?.seal(packet) : nil) ?? wrap.seal(packet), isData: false)
  }

  private func send(_ packet: [UInt8], isData: Bool) throws {
    note(packet, .client, isData: isData)
    try socket.send(packet)
  }

  private func note(_ packet: [UInt8], _ side: Notebook.Side, isData: Bool) {
    guard isData || recordsControl else { return }
    notebook.write(isData ? "data" : "control", side, packet, after: bootTime() - began)
  }
}

extension WrapKey {
  fileprivate init(of remote: Remote, digest: Digest?) throws {
    switch remote.wrap {
    case .none: self = .none
    case .tlsAuth(let key, let direction):
      self = try .readTLSAuth(key, digest: digest, direction: direction)
    case .tlsCrypt(let key): self = try .readTLSCrypt(key)
    case .tlsCryptV2(let key): self = try .readTLSCryptV2(key)
    }
  }
}
