import Base
import Crypto
import DataChannel
import Testing

@Suite("Data channel vectors (protocol.md section 8.8)")
struct DataVectorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var name: String
    var suite: Suite
    var peerID: UInt32?
    var from: DataRole = .client
    var hex: String
    var testDescription: String { name }
  }

  static let vectors = [
    Vector(
      name: "D1", suite: Suite(.aes256GCM), peerID: 5,
      hex: "4800000500000001e0be64db915d57c22f6bc54e55bfb09e1c4b321ccc105c77f3f4e67f14ed02bf"),
    Vector(
      name: "D2", suite: Suite(.aes128GCM), peerID: 5,
      hex: "4800000500000001565bf84d71328088c0f7d9309640ead7f3c5af7775ec1dd9b4d42e7594cc10e5"),
    Vector(
      name: "D3", suite: Suite(.chacha20Poly1305), peerID: 5,
      hex: "480000050000000150e46e8dd4ee4e4c4abf98489c677dc36f1adc6d462986f776a50b04b7e7afd1"),
    Vector(
      name: "D4", suite: Suite(.aes256GCM), peerID: nil,
      hex: "30000000012fe696e37c30140b6d69e0c719c276b51c4b321ccc105c77f3f4e67f14ed02bf"),
    Vector(
      name: "D5", suite: Suite(.aes256GCM), peerID: 0xff_ffff, from: .server,
      hex: "48ffffff00000001bc9e744d19fbfa523f91093cf8825026b813ad3c9f4c07b3ec18e55aa67909bd"),
    Vector(
      name: "D6", suite: Suite(.aes256CBC, .sha256), peerID: 5,
      hex: "4800000588882619780e0ff5bc73ca245fbf72b53d2a18e742bf473e016d2feea0a1a488"
        + "a0a1a2a3a4a5a6a7a8a9aaabacadaeafc02874fc97e600931edf0b92248a2bbda1a2df9c75485ca1265f8c8023e9eedf"),
    Vector(
      name: "D7", suite: Suite(.aes256CBC, .sha1), peerID: nil,
      hex: "30da5f2ec617762f45eacc5f048e076fde13f426a2"
        + "a0a1a2a3a4a5a6a7a8a9aaabacadaeafc02874fc97e600931edf0b92248a2bbda1a2df9c75485ca1265f8c8023e9eedf"),
    Vector(
      name: "D8", suite: Suite(.aes128CBC, .sha1), peerID: nil,
      hex: "30ec3b099868d7a7949a95d9b3a0486fae4f48f58d"
        + "a0a1a2a3a4a5a6a7a8a9aaabacadaeafc040b36e229cfb9db7dc0e1f0b30887da91c653bc2c888259194454b54464579"),
  ]

  /// Every IV is a0…af.
  static let fixedIVs = RandomSource { buffer in
    for index in buffer.indices { buffer[index] = 0xa0 + UInt8(index % 16) }
  }

  @Test("a ping is sealed to the vector", arguments: vectors)
  func sealed(vector: Vector) {
    var lane = makeUp(
      vector.suite, vector.from, format: DataFormat(peerID: vector.peerID), random: Self.fixedIVs)
    let sealed = lane.seal(message: DataMessage.ping)
    #expect(sealed.map(Hex.text) == vector.hex)
  }

  @Test("the vector opens to a ping, whatever format we send ourselves", arguments: vectors, [nil, 7] as [UInt32?])
  func opened(vector: Vector, peerID: UInt32?) throws {
    var lane = makeDown(
      vector.suite, vector.from == .client ? .server : .client, format: DataFormat(peerID: peerID))
    let outcome = try lane.open(#require(Hex.bytes(vector.hex)))
    let counted = lane.authenticated
    #expect(outcome.verdict == .consumed)
    #expect(outcome.bytes == DataMessage.ping)
    #expect(counted == 1)
  }

  @Test("the side that sealed a packet cannot open it: each direction has its own key")
  func directions() throws {
    let vector = Self.vectors[0]
    var lane = makeDown(vector.suite, .client)
    let reason = try lane.dropReason(#require(Hex.bytes(vector.hex)))
    #expect(reason == .badTag)
  }

  @Test("a DATA_V1 packet is not a DATA_V2 packet with less in front: the header decides what the tag covers")
  func crossedHeaders() throws {
    let version2 = try #require(Hex.bytes(Self.vectors[0].hex))
    let version1 = try #require(Hex.bytes(Self.vectors[3].hex))
    var lane = makeDown(Suite(.aes256GCM), .server)
    let first = lane.dropReason([0x30] + version2.dropFirst(4))
    let second = lane.dropReason([0x48, 0, 0, 5] + version1.dropFirst())
    #expect(first == .badTag && second == .badTag)
  }
}
