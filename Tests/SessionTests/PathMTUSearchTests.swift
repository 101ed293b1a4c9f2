import Base
import Crypto
import DataChannel
import Session
import Testing

@Suite("The search for the path's MTU")
struct PathMTUSearchTests {
  /// AES-256-GCM over UDP and IPv4: 52 bytes around each packet.
  private static let overhead = PacketOverhead(DataFormat(peerID: 0), cipher: .aes256GCM, auth: nil, outer: .ipv4)

  /// A path, the search at one end and a gateway at the other.
  private struct Stage {
    var search: PathMTUSearch
    var now = Instant(nanoseconds: 0)
    /// Outside.
    var path = 1500
    /// Of our own device: what is larger never leaves.
    var device = 1500
    /// Says so when something is too large for the path.
    var isTalkative = true
    var answers = true
    var isCut = false
    var roundTrip: Duration = .milliseconds(30)
    /// Of a thousand packets, each way.
    var loss = 0
    var packets: UInt64 = 0
    var random: RandomSource

    /// What was sent, and what was found, in order.
    var sent: [Int] = []
    var findings: [Int] = []
    private var underway: [(at: Instant, sentAt: Instant, size: Int, report: Int?)] = []

    init(ceiling: Int = 1500, start: Int? = nil, seed: UInt64 = 1, _ change: (inout Stage) -> Void = { _ in }) {
      search = PathMTUSearch(overhead, ceiling: ceiling, start: start, at: now)
      random = .seeded(seed)
      change(&self)
      settle()
    }

    mutating func run(for duration: Duration) {
      let end = now + duration
      while let next = [search.nextWake, underway.map(\.at).min()].compactMap({ $0 }).min(), next <= end {
        now = max(now, next)
        let due = underway.filter { $0.at <= now }
        underway.removeAll { $0.at <= now }
        for one in due {
          if let report = one.report {
            search.reported(outer: report, at: now)
          } else {
            search.answered(size: one.size, roundTrip: now - one.sentAt, at: now)
          }
          settle()
        }
        search.wake(packets: packets, at: now)
        settle()
      }
      now = end
    }

    mutating func report(_ outer: Int) {
      search.reported(outer: outer, at: now)
      settle()
    }

    private mutating func settle() {
      while case let sizes = search.takeEchoes(), !sizes.isEmpty {
        for size in sizes { send(size) }
      }
      if let finding = search.takeFinding() { findings.append(finding) }
    }

    private mutating func send(_ size: Int) {
      let outer = overhead.outer(inner: size)
      guard outer <= device else { return search.reported(outer: device, at: now) }
      sent.append(size)
      guard !isCut, !isLost() else { return }
      if outer > path {
        if isTalkative { underway.append((now + roundTrip / 2, now, size, path)) }
      } else if answers, !isLost() {
        underway.append((now + roundTrip, now, size, nil))
      }
    }

    private mutating func isLost() -> Bool { Int.random(in: 0..<1000, using: &random) < loss }
  }

  @Test("a path that takes the largest costs one packet")
  func wide() {
    var stage = Stage(ceiling: 1400)
    stage.run(for: .seconds(3_000))
    #expect(stage.sent == [1400] && stage.findings == [1400])
  }

  @Test("the device's own MTU costs nothing: one packet of what is left inside")
  func device() {
    var stage = Stage()
    stage.run(for: .seconds(30))
    #expect(stage.sent == [1448] && stage.findings == [1448])
    // Looking for more after ten minutes meets the same device, and sends nothing.
    stage.run(for: .seconds(1_000))
    #expect(stage.sent == [1448])
  }

  @Test("a router that says what it takes is believed when that comes back")
  func talkative() {
    var stage = Stage { $0.path = 1400 }
    stage.run(for: .seconds(30))
    #expect(stage.sent == [1448, 1348] && stage.findings == [1348])
  }

  @Test(
    "a path that swallows what is too large is found, and a size that passes is told long before the end",
    arguments: [1492, 1480, 1452, 1400, 1399, 1340, 1332, 1280, 1000, 700])
  func blackHole(path: Int) throws {
    var stage = Stage {
      $0.path = path
      $0.isTalkative = false
    }
    stage.run(for: .seconds(3))
    if path >= Self.overhead.outer(inner: 1280) { #expect(stage.findings.first == 1280) }
    stage.run(for: .seconds(30))
    let found = try #require(stage.findings.last)
    let truth = Self.overhead.inner(outer: path)
    #expect(found <= truth && found > truth - 32, "\(found) of \(truth)")
    #expect(stage.findings.count <= 3 && stage.sent.count <= 45, "\(stage.findings) \(stage.sent)")
  }

  @Test("smaller than any host must take is not looked for")
  func tiny() {
    var stage = Stage {
      $0.path = 500
      $0.isTalkative = false
    }
    stage.run(for: .seconds(600))
    #expect(stage.findings.isEmpty && !stage.sent.contains { $0 != PathMTUSearch.companion && $0 < 576 })
  }

  @Test(
    "a tenth of all packets lost each way: never more than passes, and nearly always what passes",
    arguments: [true, false])
  func lossy(isTalkative: Bool) {
    var right = 0
    for seed in 1...200 as ClosedRange<UInt64> {
      var stage = Stage(seed: seed) {
        $0.path = 1400
        $0.isTalkative = isTalkative
        $0.loss = 100
      }
      stage.run(for: .seconds(120))
      // When even the small ones are lost, our own device's word counts until they are not.
      #expect(stage.findings.allSatisfy { $0 <= 1348 || $0 == 1448 } && stage.findings.last ?? 0 <= 1348)
      if let last = stage.findings.last, last >= 1320 { right += 1 }
    }
    #expect(right >= 180, "\(right) of 200")
  }

  @Test("an outage is no narrow path")
  func outage() {
    var stage = Stage(ceiling: 1400) { $0.isCut = true }
    stage.isCut = true
    stage.run(for: .seconds(9))
    stage.isCut = false
    stage.run(for: .seconds(30))
    #expect(stage.findings == [1400])
    // And later.
    stage.packets = 1
    stage.isCut = true
    stage.run(for: .seconds(70))
    stage.isCut = false
    stage.run(for: .seconds(300))
    #expect(stage.findings == [1400])
  }

  @Test("a gateway that answers nothing ends the search after a few packets; what the network says decides")
  func mute() {
    var stage = Stage(ceiling: 1400) { $0.answers = false }
    stage.run(for: .seconds(10_000))
    #expect(stage.findings.isEmpty && stage.sent.count <= 15)
    var told = Stage {
      $0.answers = false
      $0.path = 1400
    }
    told.run(for: .seconds(10_000))
    #expect(told.findings == [1348] && told.sent.count <= 20)
  }

  @Test("what passed the last time is tried first, and more after ten minutes")
  func remembered() {
    var stage = Stage(start: 1348)
    stage.run(for: .seconds(500))
    #expect(stage.sent == [1348] && stage.findings == [1348])
    stage.run(for: .seconds(200))
    #expect(stage.sent == [1348, 1448] && stage.findings == [1348, 1448])
    var narrower = Stage(start: 1400) { $0.path = 1400 }
    narrower.run(for: .seconds(30))
    #expect(narrower.findings == [1348])
  }

  @Test("while packets flow a path that becomes narrower is noticed within two minutes; an idle one is left alone")
  func confirmation() {
    for isTalkative in [true, false] {
      var stage = Stage { $0.isTalkative = isTalkative }
      stage.run(for: .seconds(500))
      #expect(stage.sent == [1448])
      stage.path = 1400
      stage.packets = 9
      stage.run(for: .seconds(80))
      #expect(stage.findings.last == 1348, "\(stage.findings)")
      stage.path = 1500
      stage.run(for: .seconds(700))
      #expect(stage.findings.last == 1448, "\(stage.findings)")
    }
  }

  @Test("hearsay is checked, not believed, and not more often than every five seconds")
  func hearsay() {
    var stage = Stage(ceiling: 1400)
    stage.run(for: .seconds(20))
    for _ in 0..<100 {
      stage.report(600)
      stage.run(for: .milliseconds(100))
    }
    #expect(stage.findings == [1400] && stage.sent.count <= 4)
    // A lie while a probe is under way, which then comes back.
    var lied = Stage(ceiling: 1400)
    lied.report(700)
    lied.run(for: .seconds(20))
    #expect(lied.findings.last == 1400)
    for outer in [-1, 0, 67, 500, Int.max / 2] { lied.report(outer) }
    #expect(lied.findings.last == 1400)
  }
}
