import Base
import Crypto
import DataChannel
import Testing

@Suite("The epoch format (protocol.md section 8.3)")
struct EpochTests {
  private static let format = DataFormat(peerID: 5, usesEpochs: true)
  private static let suites = [Suite(.aes256GCM), Suite(.aes128GCM), Suite(.aes192GCM), Suite(.chacha20Poly1305)]

  /// D10 to D12: the first packet of epochs 1, 2 and 3.
  private static let vectors = [
    "4800000500010000000000013d3c831a3127156879cc1379ac8350770f7236feea5f53f1e8f652d83fe6dccd",
    "4800000500020000000000010c0016ae9c8acab17efdaf279b614e20d3edd4e6477742f95e9ee261d95b564e",
    "480000050003000000000001dfd82ab5a10a297379b78d7e2a932d01bc3127fb4ae3051afb34d692f48d6e37",
  ]

  private func up(_ suite: Suite = Suite(.aes256GCM), _ role: DataRole = .client) -> UpLane {
    makeUp(suite, role, format: Self.format)
  }
  private func down(_ suite: Suite = Suite(.aes256GCM), _ role: DataRole = .server) -> DownLane {
    makeDown(suite, role, format: Self.format)
  }

  @Test("the vectors are sealed, and opened, one epoch after the other")
  func vectors() throws {
    var up = up()
    var down = down()
    for (index, hex) in Self.vectors.enumerated() {
      up.reach(epoch: UInt16(index + 1), keyID: 0)
      let sealed = up.seal(message: DataMessage.ping)
      #expect(sealed.map(Hex.text) == hex)
      let opened = try down.open(#require(Hex.bytes(hex)))
      #expect(opened.bytes == DataMessage.ping)
      let epoch = down.epochToReach(of: 0)
      #expect(epoch == UInt16(index + 1))
    }
  }

  @Test("whole bursts go both ways, framed or not, over a stream or not", arguments: suites, [false, true])
  func bursts(suite: Suite, isStream: Bool) {
    for framing in [CompressionFraming.none, .stubV2, .lzoStub] {
      let format = DataFormat(peerID: 5, usesEpochs: true, compression: framing, isStream: isStream)
      for (from, to) in [(DataRole.client, DataRole.server), (.server, .client)] {
        var up = makeUp(suite, from, format: format)
        var down = makeDown(suite, to, format: format)
        var plain = Burst(capacity: 1 << 15, maximumCount: 20)
        var sealed = Burst(capacity: 1 << 15, maximumCount: 20)
        let packets = (1...20).map { ipv4(20 * $0, fill: UInt8($0)) }
        for packet in packets { _ = plain.append(copying: packet) }
        up.seal(&plain, into: &sealed)
        var opened: [[UInt8]] = []
        for index in 0..<sealed.count {
          opened.append(down.open(Array(sealed.copy(index).dropFirst(isStream ? 2 : 0))).bytes)
        }
        #expect(opened == packets)
      }
    }
  }

  @Test("the receiver follows a good packet of the next sixteen epochs, and takes none that was skipped")
  func followed() {
    // One sender for each epoch.
    let packets = (1...40).map { epoch in
      var up = up()
      up.reach(epoch: UInt16(epoch), keyID: 0)
      return (0..<2).map { _ in up.seal(message: ipv4(60)) ?? [] }
    }
    func taken(_ down: inout DownLane, _ epochs: some Sequence<Int>, _ which: Int = 1) -> [Int] {
      epochs.filter { down.open(packets[$0 - 1][which]).verdict == .forward }
    }
    for epoch in 1...17 {
      var down = down()
      let direct = down.open(packets[epoch - 1][0]).verdict
      #expect(direct == .forward)
    }
    var down = down()
    let farther = down.dropReason(packets[17][0])
    #expect(farther == .unknownEpoch)
    let first = taken(&down, [7], 0)
    let behind = taken(&down, [2, 3, 4, 5, 6])
    let edge = [taken(&down, [1]), taken(&down, [7]), taken(&down, [24]), taken(&down, [23])]
    #expect(first == [7] && behind == [] && edge == [[1], [7], [], [23]])
    let reached = down.epochToReach(of: 0)
    #expect(reached == 23)
    // The one before is still opened, all others never again.
    let late = [taken(&down, [7], 1), taken(&down, [1], 0), taken(&down, 8...22), taken(&down, [39])]
    #expect(late == [[], [], [], [39]])
  }

  @Test("a replay is one within its epoch, before and after the peer went on")
  func replays() {
    var up = up()
    var down = down()
    let old = up.seal(message: ipv4(60)) ?? []
    _ = down.open(old)
    up.reach(epoch: 2, keyID: 0)
    let new = up.seal(message: ipv4(60)) ?? []
    #expect(Array(new[4..<12]) == [0, 2, 0, 0, 0, 0, 0, 1])
    let verdicts = [down.open(new).verdict, down.open(new).verdict, down.open(old).verdict]
    #expect(verdicts == [.forward, .dropped, .dropped])
    let replayed = down.counters[.replayed]
    #expect(replayed == 2)
  }

  @Test("who names an epoch without its key changes nothing", arguments: suites)
  func forged(suite: Suite) {
    var up = up(suite)
    var down = down(suite)
    let good = up.seal(message: ipv4(60)) ?? []
    for epoch in (0...20).map({ UInt16($0) }) + [0x7fff, 65_518, 65_519, .max] {
      var packet = good
      packet[4] = UInt8(epoch >> 8)
      packet[5] = UInt8(epoch & 255)
      packet[20] ^= 1
      let outcome = down.open(packet)
      #expect(outcome.verdict == .dropped)
    }
    let (epoch, opened) = (down.epochToReach(of: 0), down.open(good).verdict)
    #expect(epoch == 1 && opened == .forward)
    let forgeries = down.usage(of: 0)?.failures
    #expect(forgeries == 17)
  }

  @Test("packets too short, of DATA_V1, or with a tag where the other format has it, are dropped")
  func shapes() {
    var down = down()
    var up = up()
    let good = up.seal(message: ipv4(20)) ?? []
    for count in 0...28 {
      let outcome = down.open(Array(good.prefix(count)))
      #expect(outcome.verdict == .dropped)
    }
    let first = down.dropReason([0x30] + good.dropFirst(4))
    #expect(first == .unknownOpcode)
    var classic = makeUp(Suite(.aes256GCM), .client)
    let other = down.open(classic.seal(message: ipv4(60)) ?? []).verdict
    #expect(other == .dropped)
  }

  @Test("the counter's end begins the next epoch; late epochs ask for new keys, and the last one ends the key")
  func ends() {
    var up = up()
    up.reach(epoch: 0xefff, keyID: 0)
    let before = up.needsNewKey
    up.reach(epoch: 0xf000, keyID: 0)
    let after = up.needsNewKey
    up.reach(epoch: 65_518, keyID: 0)
    let last = up.seal(message: ipv4(20))
    up.reach(epoch: 65_519, keyID: 0)
    let epoch = up.epoch(of: 0)
    #expect(!before && after && last != nil && epoch == 65_518)
    up.reach(epoch: 3, keyID: 0)
    let stays = up.epoch(of: 0)
    #expect(stays == 65_518)
  }

  @Test("each key id has epochs of its own, from one on")
  func ownEpochs() {
    var up = up()
    var down = down()
    up.reach(epoch: 4, keyID: 0)
    let block = RandomSource.seeded(2).secret(256)
    let next = (
      up.install(Suite(.aes256GCM).key(.client, id: 1, block: block)),
      down.install(Suite(.aes256GCM).key(.server, id: 1, block: block))
    )
    #expect(next == (true, true))
    let old = up.seal(message: ipv4(60)).map { down.open($0).verdict }
    up.send(with: 1)
    let new = up.seal(message: ipv4(60)) ?? []
    let opened = down.open(new).verdict
    #expect(Array(new[..<6]) == [0x49, 0, 0, 5, 0, 1] && old == .forward && opened == .forward)
    let epochs = (down.epochToReach(of: 0), down.epochToReach(of: 1), down.epochToReach(of: 2))
    #expect(epochs == (4, 1, nil))
    up.retire(keyID: 0)
    down.retire(keyID: 0)
    let retired = (up.epoch(of: 0), down.epochToReach(of: 0))
    #expect(retired == (nil, nil))
  }
}
