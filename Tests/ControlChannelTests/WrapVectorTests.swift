import Base
import ControlChannel
import Crypto
import Testing
import Wire

@Suite("The wrap's recorded packets (protocol.md section 3.6)") struct WrapVectorTests {
  @Test("W1, W2: packets of OpenVPN's own tests") func upstream() throws {
    let key = try Vectors.testKey()
    let first = Vectors.reset(.hardResetClientV2, SessionID(0xde69_4c5c_7bfb_a274))
    #expect(Vectors.sealed(first, .tlsAuth(key, .sha1, direction: 1), at: 0x61d3_bf6c) == Vectors.w1)
    let second = Vectors.reset(.hardResetClientV2, SessionID(0xf419_cb12_d1f9_e48f))
    #expect(Vectors.sealed(second, .tlsCrypt(key), at: 0x61d3_f8e1) == Vectors.w2)
    var server = Vectors.wrap(.tlsCrypt(key), .server)
    #expect(server.open(Vectors.w2) == .success(second))
  }

  @Test("W3: dynamic key without a header") func dynamicCore() throws {
    let keys = TLSCryptKeys(try Vectors.key(Array(repeating: 0xba, count: 256)), index: 1)
    let sealed = keys.seal(head: [], id: LongPacketID(counter: 1, time: 0), body: Array("1234567890".utf8))
    #expect(
      sealed
        == hex("0000000100000000e319277f1c8d6e6a7796a855337b9cfb56e1f13a870e6647dfa195c92c17a015ba4967a11d55ea1a06a7"))
    #expect(keys.open(sealed, headSize: 0)?.body == Array("1234567890".utf8))
  }

  @Test("W4 to W6: tls-auth with SHA1, SHA256 and without direction") func tlsAuth() throws {
    let key = try Vectors.countingKey()
    let cases: [(WrapKey, String)] = [
      (
        .tlsAuth(key, .sha1, direction: 1),
        "380102030405060708602941d9a95a08dd2d0892de37cd48c0953c774200000001650000000000000000"
      ),
      (
        .tlsAuth(key, .sha256, direction: 1),
        "3801020304050607087a8e3ff36fd2511a4d423bcba2d6cda3d982f8d32959f098f4e0d7e5b89aa9f700000001650000000000000000"
      ),
      (
        .tlsAuth(key, .sha1, direction: nil),
        "38010203040506070883fe3c468ab30a06c73e615e80ad44f527f758b200000001650000000000000000"
      ),
    ]
    for (wrapKey, packet) in cases { #expect(Vectors.sealed(Vectors.reset(), wrapKey) == hex(packet)) }
  }

  @Test("W7: the second packet, an acknowledgement") func acknowledgement() throws {
    var wrap = Vectors.wrap(.tlsAuth(try Vectors.countingKey(), .sha1, direction: 1))
    _ = wrap.seal(Vectors.reset())
    let packet = ControlPacket(
      opcode: .ackV1, keyID: 0, sessionID: Vectors.clientID, acknowledgements: [0], peerSessionID: Vectors.serverID)
    #expect(
      wrap.seal(packet)
        == hex("280102030405060708c8333818b9d39eedf7941c5941eb025772855e04000000026500000001000000001112131415161718"))
  }

  @Test("W8, W9, W10: tls-crypt both ways, with early negotiation") func tlsCrypt() throws {
    let key = WrapKey.tlsCrypt(try Vectors.countingKey())
    #expect(
      Vectors.sealed(Vectors.reset(), key)
        == hex(
          "3801020304050607080000000165000000cfccca8dc0e5aba43f54ed925ae825837d70281fd40c461fdde5ff4c89d0c5bb677280b699"
        ))
    var answer = ControlPacket(
      opcode: .hardResetServerV2, keyID: 0, sessionID: Vectors.serverID, acknowledgements: [0],
      peerSessionID: Vectors.clientID, messageID: 0)
    var plainClient = Vectors.wrap(key)
    #expect(plainClient.open(Vectors.w9) == .success(answer))
    var negotiation = EarlyNegotiation()
    negotiation.resendsWrappedKey = true
    answer.payload = negotiation.payload
    var client = Vectors.wrap(key)
    #expect(client.open(Vectors.w10) == .success(answer))
    var server = Vectors.wrap(key, .server)
    #expect(server.seal(answer) == Vectors.w10)
  }

  @Test("W11: the third reset counts from 0f000001 and carries the wrapped key") func thirdReset() throws {
    let clientKey = try Vectors.countingKey()
    let metadata: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0]
    let wrapped = try #require(try Vectors.serverKey().wrap(clientKey, metadata: metadata))
    let packet = Vectors.sealed(Vectors.reset(.hardResetClientV3), .tlsCryptV2(clientKey, wrapped: wrapped))
    #expect(
      Array(packet.prefix(54))
        == hex(
          "5001020304050607080f00000165000000940ca060aab12891a46daf1cc8224c8a8825c2016b6fff09d4ce10a614ccc1d76fa29eb696"
        ))
    #expect(packet.count == 353)
    #expect(
      Hex.text(digestOf(.sha256, packet)) == "c13de5a697a92f88e28902c492cd6141a53cce360fe06d84d5ac557cef5fd584")
  }

  @Test("W12, W13: wrapped client keys") func wrappedKeys() throws {
    let server = try Vectors.serverKey()
    let clientKey = try Vectors.countingKey()
    let w12 = try #require(server.wrap(clientKey, metadata: [1, 0, 0, 0, 0, 0, 0, 0, 0]))
    #expect(w12.count == 299)
    #expect(
      w12.starts(
        with: hex("177da5c074a94619b16be4acb71f1a6ccf24f33c6bbaf498459d5f06c369d4952c78396efd93c2598f4771e068cafca3")))
    #expect(Array(w12.suffix(8)) == hex("14df11acb31e012b"))
    #expect(Hex.text(digestOf(.sha256, w12)) == "b5f7290493383e06f36f8b7c224e6f0cf783af77d773917dd08125c5ff7b4927")
    let w13 = try #require(server.wrap(clientKey, metadata: [0] + (Base64.bytes("AABBCCDD".utf8) ?? [])))
    #expect(w13.count == 297)
    #expect(w13.starts(with: hex("69eda75582aa170b8c9418fe28248cdb7761bea2d277aa1647eb3a9d94083733")))
    #expect(Array(w13.suffix(2)) == hex("0129"))
    let opened = try #require(server.unwrap(w12))
    #expect(opened.clientKey == clientKey)
    #expect(opened.metadata == [1, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("W14: dynamic tls-crypt over a key, from key id 1 on") func dynamic() throws {
    var wrap = ControlWrap.dynamic(
      exported: SecretBytes(Array(repeating: 0x55, count: 256)), over: .tlsCrypt(try Vectors.countingKey()),
      role: .client, wallTime: Vectors.time)
    #expect(
      wrap.seal(Vectors.reset(.softResetV1, keyID: 1))
        == hex(
          "1901020304050607080000000165000000dcc50dd01c44ae51c0167f0fcab0a18b6ae88d5f43614f4116fdf84a5f154e1da2b0dd99a0"
        ))
  }
}
