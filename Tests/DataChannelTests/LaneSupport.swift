import Base
import Crypto
import DataChannel
import Testing

/// The key block of protocol.md section 7, which the vectors of section 8.8 use.
let referenceBlock = SecretBytes(
  Hex.bytes(
    """
    11dc8864c0c910c479e42de248b998f109745b636a380ca89a108a7f4dc5583c
    ba755865f945cbd2a98fef449e57e789aa0a0213c585d2cea749f728dfcdfcc1
    07048f7edda513be44f8d3950dc6df8d85e8894442f77da4e3d3ac9623015df9
    024892bec7b825340e045a817fbdd50a9c5240fbc950126753a115c1090e103f
    55cf1bfd5af7971537ca6b39568aa144dabc31071981572025a92441523fd2ed
    7c96b34df8cd010f4f07a8cb91cbd2dc72c633a40fcfd34dea891ebd615d966e
    6ac3731f81a40976c362fbd0b222e4f10a8ed7fde1a76db611abf855c3961799
    a9688ed1b7c956e7aee9a9e39b10f1a285adc694eabb4aaf7bfca57a94a7d4d5
    """) ?? [])

/// A cipher with the digest it needs.
struct Suite: Sendable, CustomTestStringConvertible {
  var cipher: DataCipher
  var auth: Digest?

  init(_ cipher: DataCipher, _ auth: Digest? = nil) {
    self.cipher = cipher
    self.auth = auth
  }

  var testDescription: String { "\(cipher.rawValue) \(auth?.rawValue ?? "")" }

  func key(_ role: DataRole, id: UInt8 = 0, block: SecretBytes = referenceBlock) -> DataKey {
    DataKey(keyID: id, cipher: cipher, auth: auth, block: block, role: role)
  }

  /// Every cipher, and every digest beside CBC.
  static let all =
    DataCipher.allCases.filter(\.isAEAD).map { Suite($0) } + Digest.allCases.map { Suite(.aes256CBC, $0) }
    + [Suite(.aes128CBC, .sha1), Suite(.aes192CBC, .sha256)]

  /// One of each kind.
  static let kinds = [Suite(.aes256GCM), Suite(.chacha20Poly1305), Suite(.aes256CBC, .sha256)]
}

/// Two bytes that come out of `DownLane.open`: what became of a packet, and where it then lay.
struct Outcome: Equatable {
  var verdict: Burst.Verdict
  var bytes: [UInt8]
  /// Bytes of the arena in front of the packet.
  var front: Int
}

func makeUp(
  _ suite: Suite, _ role: DataRole, format: DataFormat = DataFormat(peerID: 5), firstPacketID: UInt32 = 1,
  random: RandomSource = .seeded(1)
) -> UpLane {
  var lane = UpLane(format: format, random: random)
  let installed = lane.install(suite.key(role), firstPacketID: firstPacketID)
  #expect(installed)
  if installed { lane.send(with: 0) }
  return lane
}

func makeDown(_ suite: Suite, _ role: DataRole, format: DataFormat = DataFormat(peerID: 5)) -> DownLane {
  var lane = DownLane(format: format)
  let installed = lane.install(suite.key(role))
  #expect(installed)
  return lane
}

extension DownLane {
  /// Opens one datagram as a burst of one, with some room to unpack.
  mutating func open(_ datagram: [UInt8], spare: Int = 4096) -> Outcome {
    var burst = Burst(capacity: datagram.count + Burst.headroom + spare, maximumCount: 2)
    _ = burst.append(copying: datagram)
    open(&burst)
    return Outcome(verdict: burst[0].verdict, bytes: burst.copy(0), front: Int(burst[0].offset))
  }

  /// The reason of the one drop that opening must end in.
  mutating func dropReason(_ datagram: [UInt8]) -> DataDrop? {
    let before = counters
    let outcome = open(datagram)
    guard outcome.verdict == .dropped else { return nil }
    let after = counters
    let reasons = DataDrop.allCases.filter { after[$0] == before[$0] + 1 }
    return after.dropped == before.dropped + 1 ? reasons.first : nil
  }
}

/// A plausible IPv4 packet of any length from 20 on.
func ipv4(_ count: Int, fill: UInt8 = 0) -> [UInt8] { [0x45] + Array(repeating: fill, count: count - 1) }

func ipv6(_ count: Int, fill: UInt8 = 0) -> [UInt8] { [0x60] + Array(repeating: fill, count: count - 1) }
