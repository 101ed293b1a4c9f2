import Base
import ControlChannel
import Crypto
import DataChannel
import Foundation
import Profile
import Testing
import Wire

/// One file of Recordings/: what a real peer sent, beside the keys that open it.
struct Recording: Sendable {
  enum Name: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Without compression and with AEAD, so that sealing anew gives the same bytes.
    case plain, auth, crypt, cryptv2, datav1
    case cbc256, cbc128, cbcv1
    case lz4v2, lz4, lzo, stubv2
    /// Between the system's own client and server; the first control packets only.
    case peerAuth = "peer-auth"
    case peerCrypt = "peer-crypt"
    case peerV2 = "peer-v2"

    var testDescription: String { rawValue }

    static let withControl: [Name] = [.plain, .auth, .crypt, .cryptv2, .peerAuth, .peerCrypt, .peerV2]
    static let withData: [Name] = [
      .plain, .auth, .crypt, .cryptv2, .datav1, .cbc256, .cbc128, .cbcv1, .lz4v2, .lz4, .lzo, .stubv2,
    ]
    static let repeatable: [Name] = [.plain, .auth, .crypt, .cryptv2, .datav1]
    static let compressed: [Name] = [.lz4v2, .lz4, .lzo]
  }

  enum Side: Substring { case client = ">", server = "<" }

  struct Block {
    var keyID: UInt8
    var isExported: Bool
    var bytes: SecretBytes
  }

  struct Incomplete: Error { var what: String }

  /// Each line's words.
  private let lines: [[Substring]]

  init(_ name: Name) throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent()
    let text = try String(contentsOf: url.appending(path: "Recordings/\(name.rawValue).txt"), encoding: .utf8)
    lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
  }

  /// Words behind this one.
  func words(_ name: String) throws -> [Substring] {
    guard let line = lines.first(where: { $0[0] == name }) else { throw Incomplete(what: name) }
    return Array(line.dropFirst())
  }

  /// `control`, `data`, `inner` or `message` lines of one side, in order.
  func packets(_ name: String, _ side: Side) throws -> [[UInt8]] {
    try lines.filter { $0[0] == name && $0[1] == side.rawValue }.map { try Self.bytes($0.last) }
  }

  func text() throws -> String { try words("text").dropFirst().joined(separator: " ") }

  // MARK: Setting

  func sessions() throws -> (client: SessionID, server: SessionID) {
    let ids = try words("sessions").map { SessionID(bytes: Hex.bytes($0) ?? []) }
    guard ids.count == 2, let client = ids[0], let server = ids[1] else { throw Incomplete(what: "sessions") }
    return (client, server)
  }

  func auth() throws -> Digest? { try Digest(name: words("auth")[0]) }

  func clientKey() throws -> WrapKey {
    let kind = try words("wrap")
    switch kind[0] {
    case "tls-auth":
      return try .readTLSAuth(file("client-key"), digest: auth(), direction: kind[1] == "-" ? nil : Int(kind[1]))
    case "tls-crypt": return try .readTLSCrypt(file("client-key"))
    case "tls-crypt-v2": return try .readTLSCryptV2(file("client-key"))
    default: return .none
    }
  }

  /// The server's side of `clientKey`.
  func serverKey() throws -> WrapKey {
    if case .tlsAuth(let key, let digest, let direction) = try clientKey() {
      return .tlsAuth(key, digest, direction: direction.map { 1 - $0 })
    }
    return try clientKey()
  }

  func wrap(_ role: ControlWrap.Role) throws -> ControlWrap {
    ControlWrap(try role == .client ? clientKey() : serverKey(), role: role, wallTime: WallTime(seconds: 0))
  }

  /// For key ids above 0, where the server asked for it.
  func dynamicWrap(_ role: ControlWrap.Role) throws -> ControlWrap? {
    guard let exported = try? words("dynamic") else { return nil }
    return ControlWrap.dynamic(
      exported: SecretBytes(try Self.bytes(exported[0])), over: try role == .client ? clientKey() : serverKey(),
      role: role, wallTime: WallTime(seconds: 0))
  }

  func file(_ name: String) throws -> SecretBytes {
    let found = lines.filter { $0[0] == name }.map { $0.dropFirst().joined(separator: " ") }
    guard !found.isEmpty else { throw Incomplete(what: name) }
    return SecretBytes(Array((found.joined(separator: "\n") + "\n").utf8))
  }

  // MARK: Data

  func blocks() throws -> [Block] {
    try lines.filter { $0[0] == "block" }.map { line in
      guard let keyID = UInt8(line[1]) else { throw Incomplete(what: "block") }
      return Block(keyID: keyID, isExported: line[2] == "exported", bytes: SecretBytes(try Self.bytes(line.last)))
    }
  }

  func cipher() throws -> DataCipher {
    guard let cipher = try DataCipher(name: words("cipher")[0]) else { throw Incomplete(what: "cipher") }
    return cipher
  }

  func peerID() throws -> UInt32? { try UInt32(words("peer-id")[0]) }

  func format() throws -> DataFormat {
    guard let framing = try CompressionFraming(rawValue: String(words("framing")[0])) else {
      throw Incomplete(what: "framing")
    }
    return DataFormat(peerID: try peerID(), compression: framing)
  }

  func keys(_ role: DataRole) throws -> [DataKey] {
    let cipher = try cipher()
    let auth = try cipher.isAEAD ? nil : auth()
    return try blocks().map { DataKey(keyID: $0.keyID, cipher: cipher, auth: auth, block: $0.bytes, role: role) }
  }

  /// A fresh lane with all keys of the recording.
  func down(_ role: DataRole) throws -> DownLane {
    var lane = DownLane(format: try format())
    for key in try keys(role) {
      let installed = lane.install(key)
      #expect(installed)
    }
    return lane
  }

  private static func bytes(_ word: Substring?) throws -> [UInt8] {
    guard let bytes = word.flatMap({ Base64.bytes(Array($0.utf8)) }) else { throw Incomplete(what: "base64") }
    return bytes
  }
}
