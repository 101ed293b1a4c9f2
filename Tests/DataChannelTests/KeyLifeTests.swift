import Base
import Crypto
import DataChannel
import Testing

@Suite("Keys of the data channel")
struct KeyLifeTests {
  private func block(_ seed: UInt64) -> SecretBytes { RandomSource.seeded(seed).secret(256) }

  @Test("H-04: over a key change the old key still opens, and the sender switches when told", arguments: Suite.kinds)
  func keyChange(suite: Suite) {
    var up = makeUp(suite, .client)
    var down = makeDown(suite, .server)
    let next = suite.key(.client, id: 1, block: block(2))
    let early = up.seal(message: ipv4(60)) ?? []

    let readied = (up.install(next), down.install(suite.key(.server, id: 1, block: block(2))))
    let stillOld = up.seal(message: ipv4(61)) ?? []
    up.send(with: 1)
    let new = up.seal(message: ipv4(62)) ?? []
    #expect(readied == (true, true))
    #expect([early[0], stillOld[0], new[0]] == [0x48, 0x48, 0x49])

    // The new key's packets overtake the old one's.
    let lengths = [new, early, stillOld].map { down.open($0).bytes.count }
    #expect(lengths == [62, 60, 61])
    let usage = (down.usage(of: 0)?.packets, down.usage(of: 1)?.packets, down.usage(of: 2)?.packets)
    #expect(usage == (2, 1, nil))

    down.retire(keyID: 0)
    up.retire(keyID: 0)
    let late = down.dropReason(early)
    #expect(late == .unknownKey)
    let goesOn = up.seal(message: ipv4(63)).map { down.open($0).verdict }
    #expect(goesOn == .forward)
  }

  @Test("a packet id counts for its key alone")
  func ownIDs() {
    var up = makeUp(Suite(.aes256GCM), .client)
    for _ in 0..<5 { _ = up.seal(message: ipv4(60)) }
    _ = up.install(Suite(.aes256GCM).key(.client, id: 1, block: block(2)))
    up.send(with: 1)
    let first = up.seal(message: ipv4(60)) ?? []
    let sent = (up.packetsSent(0), up.packetsSent(1), up.packetsSent(2))
    #expect(Array(first[4..<8]) == [0, 0, 0, 1])
    #expect(sent == (5, 1, 0))
  }

  @Test("without a key to send with, packets are counted and forgotten")
  func noKey() {
    var up = UpLane(format: DataFormat(peerID: 1), random: .seeded(1))
    var plain = Burst(capacity: 4096, maximumCount: 2)
    var sealed = Burst(capacity: 4096, maximumCount: 2)
    _ = plain.append(copying: ipv4(60))
    let done = up.seal(&plain, into: &sealed)
    let (drops, verdict, count) = (up.counters[.noKey], plain[0].verdict, sealed.count)
    #expect(done && drops == 1 && verdict == .dropped && count == 0)
    let message = up.seal(message: DataMessage.ping)
    #expect(message == nil)

    _ = up.install(Suite(.aes256GCM).key(.client))
    up.send(with: 0)
    up.retire(keyID: 0)
    let (sender, retired) = (up.sender, up.seal(message: DataMessage.ping))
    #expect(sender == nil && retired == nil)
  }

  @Test("keys that must not be used are refused")
  func refused() {
    let zero = SecretBytes(Array(repeating: 0, count: 256))
    let halfZero = SecretBytes(referenceBlock.exposed.prefix(128) + Array(repeating: 0, count: 128))
    let bad = [
      Suite(.aes256GCM).key(.client, block: zero), Suite(.aes256GCM).key(.client, block: halfZero),
      Suite(.aes256GCM).key(.client, block: SecretBytes(referenceBlock.exposed.dropLast())),
      Suite(.aes256GCM).key(.client, id: 8), Suite(.aes256CBC).key(.client),
    ]
    for key in bad {
      var up = UpLane(format: DataFormat(peerID: 1), random: .seeded(1))
      var down = DownLane(format: DataFormat(peerID: 1))
      let installed = (up.install(key), down.install(key))
      #expect(installed == (false, false))
    }
  }

  @Test("a key block seals once: its packet ids never begin anew", arguments: Suite.kinds)
  func sameBlockAgain(suite: Suite) {
    var up = makeUp(suite, .client)
    _ = up.seal(message: ipv4(60))
    let again = (up.install(suite.key(.client)), up.install(suite.key(.client, id: 1)))
    #expect(again == (false, false))
    up.retire(keyID: 0)
    let late = up.install(suite.key(.client))
    #expect(!late)
  }

  @Test("ids near the end ask for a new key, and at the end sealing stops", arguments: Suite.kinds)
  func lastIDs(suite: Suite) {
    var up = makeUp(suite, .client, firstPacketID: 0xfeff_ffff)
    var down = makeDown(suite, .server)
    _ = up.seal(message: ipv4(60))
    let before = up.needsNewKey
    _ = up.seal(message: ipv4(60))
    let after = up.needsNewKey
    #expect(!before && after)

    up = makeUp(suite, .client, firstPacketID: .max - 1)
    let last = (0..<2).map { _ in up.seal(message: ipv4(60)).map { down.open($0).verdict } }
    let beyond = [up.seal(message: ipv4(60)), up.seal(message: ipv4(60))]
    let drops = up.counters[.wrapExhausted]
    #expect(last == [.forward, .forward] && beyond == [nil, nil] && drops == 2)

    var plain = Burst(capacity: 4096, maximumCount: 1)
    var sealed = Burst(capacity: 4096, maximumCount: 1)
    _ = plain.append(copying: ipv4(60))
    up.seal(&plain, into: &sealed)
    let (verdict, used) = (plain[0].verdict, sealed.used)
    #expect(verdict == .dropped && used == 0)
  }

  @Test("the limits of protocol.md section 8.6")
  func limits() {
    var usage = KeyUsage()
    let gcm = DataCipher.aes256GCM
    #expect(!usage.isWorn(gcm))
    usage.blocks = KeyUsage.gcmWarning - 10
    usage.packets = 9
    #expect(!usage.isWorn(gcm))
    usage.packets = 10
    #expect(usage.isWorn(gcm) && !usage.isWorn(.chacha20Poly1305) && !usage.isWorn(.aes128CBC))
    usage = KeyUsage()
    usage.failures = 1 << 35
    #expect(usage.isWorn(gcm) && usage.isWorn(.chacha20Poly1305))
    #expect(KeyUsage.gcmWarning == ((1 << 36) - 1) / 8 * 7)
  }

  @Test("usage counts packets, bytes, blocks and forgeries")
  func usage() {
    var up = makeUp(Suite(.aes256GCM), .client)
    var down = makeDown(Suite(.aes256GCM), .server)
    for count in [20, 32, 33] { _ = down.open(up.seal(message: ipv4(count)) ?? []) }
    var forged = up.seal(message: ipv4(60)) ?? []
    forged[20] ^= 1
    _ = down.open(forged)
    let (sent, received) = (up.usage(of: 0) ?? KeyUsage(), down.usage(of: 0) ?? KeyUsage())
    #expect(sent.packets == 4 && sent.bytes == 145 && sent.blocks == 2 + 2 + 3 + 4)
    #expect(received.packets == 3 && received.bytes == 85 && received.blocks == 7 && received.failures == 1)
    let worn = (up.needsNewKey, down.needsNewKey)
    #expect(worn == (false, false))
  }
}
