import Base
import Engine
import Testing

@Suite("Sleeping out short windows")
struct ModerationTests {
  private var now = Instant(nanoseconds: 1_000_000_000_000)
  private var moderation = Moderation()

  private mutating func wake(
    after microseconds: Int, packets: UInt64 = 5, received: UInt64? = nil, mayPause: Bool = true
  ) {
    now = now + .microseconds(microseconds)
    moderation.note(packets: packets, received: received ?? packets, mayPause: mayPause, at: now)
  }

  private mutating func enter(packets: UInt64 = 5) {
    for _ in 0..<5 where !moderation.isHot { wake(after: 100, packets: packets) }
    #expect(moderation.isHot)
  }

  @Test("begins when a fifth wake-up follows four within 400 us each, ends when a window was empty")
  mutating func windows() {
    for _ in 0..<4 {
      wake(after: 399)
      #expect(!moderation.isHot)
    }
    wake(after: 399)
    #expect(moderation.isHot)
    for packets: UInt64 in [5, 1, 20, 15] {
      wake(after: 400, packets: packets)
      #expect(moderation.isHot)
    }
    wake(after: 400, packets: 0)
    #expect(!moderation.isHot)
  }

  @Test(
    "where a window was worth it the next burst's second wake-up begins others, for 100 ms; the first is served at once"
  )
  mutating func bursts() {
    enter()
    wake(after: 400, packets: 20)
    wake(after: 400, packets: 0)
    for _ in 0..<10 {
      wake(after: 9_000, packets: 1)
      #expect(!moderation.isHot)
      wake(after: 300, packets: 1)
      #expect(moderation.isHot)
      wake(after: 400, packets: 20)
      wake(after: 400, packets: 0)
      #expect(!moderation.isHot)
    }
    wake(after: 100_000)
    wake(after: 300)
    #expect(!moderation.isHot)
  }

  @Test(
    "windows that bring less than a super-packet become longer when it lasts, up to 1 ms, and shorter when they bring two"
  )
  mutating func lengths() {
    enter()
    for _ in 0..<5 { wake(after: 400, packets: 39) }
    #expect(moderation.window == .microseconds(400))
    wake(after: 400, packets: 39)
    #expect(moderation.window == .microseconds(500))
    for _ in 0..<10 { wake(after: 500, packets: 4) }
    #expect(moderation.window == .microseconds(1000))
    wake(after: 1000, packets: 60)
    #expect(moderation.window == .microseconds(1000))
    wake(after: 1000, packets: 81)
    #expect(moderation.window == .microseconds(900))
    for _ in 0..<10 { wake(after: 900, packets: 200) }
    #expect(moderation.window == .microseconds(400))
  }

  @Test(
    "a flow that is away for a moment finds its windows as long as before, one that comes in bursts finds short ones")
  mutating func gaps() {
    enter()
    for _ in 0..<6 { wake(after: 400, packets: 10) }
    wake(after: 500, packets: 0)
    wake(after: 1_000)
    wake(after: 300)
    #expect(moderation.isHot && moderation.window == .microseconds(500))
    wake(after: 500, packets: 0)
    wake(after: 3_000)
    wake(after: 300)
    #expect(moderation.isHot && moderation.window == .microseconds(400))
  }

  @Test("a burst is over when a window brings few and less than three quarters of the best: no other is slept out")
  mutating func ebb() {
    enter()
    for packets: UInt64 in [34, 38, 29] {
      wake(after: 400, packets: packets)
      #expect(moderation.isHot)
    }
    wake(after: 400, packets: 28)
    #expect(!moderation.isHot)
    wake(after: 399, packets: 1)
    #expect(moderation.isHot)
    for packets: UInt64 in [200, 40, 90] {
      wake(after: 400, packets: packets)
      #expect(moderation.isHot)
    }
  }

  @Test("a steady flow only wavers")
  mutating func steady() {
    enter()
    for _ in 0..<5 { wake(after: 400, packets: 20) }
    for packets: UInt64 in [10, 20, 4, 20] {
      wake(after: 400, packets: packets)
      #expect(moderation.isHot)
    }
  }

  @Test("a question and its answer now and then are never late, also beside what comes in bursts")
  mutating func pings() {
    for _ in 0..<1000 {
      wake(after: 10_000, received: 0)
      wake(after: 300)
      #expect(!moderation.isHot)
    }
    enter()
    wake(after: 400, packets: 20)
    wake(after: 400, packets: 0)
    wake(after: 5_000, received: 0)
    wake(after: 100)
    #expect(!moderation.isHot)
  }

  @Test("what leaves does not begin windows")
  mutating func departures() {
    for _ in 0..<100 {
      wake(after: 50, received: 0)
      #expect(!moderation.isHot)
    }
  }

  @Test("eight windows in a row that bring less than four packets were not worth it: none for 100 ms")
  mutating func thinWindows() {
    for _ in 0..<5 { wake(after: 50, packets: 1) }
    for _ in 0..<7 { wake(after: 200, packets: 3) }
    #expect(moderation.isHot)
    wake(after: 200, packets: 4)
    for _ in 0..<7 { wake(after: 200, packets: 3) }
    #expect(moderation.isHot)
    wake(after: 200, packets: 3)
    for _ in 0..<900 {
      wake(after: 100)
      #expect(!moderation.isHot)
    }
    for _ in 0..<200 where !moderation.isHot { wake(after: 100) }
    #expect(moderation.isHot)
  }

  @Test("turns without packets neither count nor start it, and who may not pause does not")
  mutating func others() {
    for _ in 0..<10 { wake(after: 50, packets: 0) }
    #expect(!moderation.isHot)
    for _ in 0..<10 { wake(after: 50, mayPause: false) }
    #expect(!moderation.isHot)
    for _ in 0..<5 { wake(after: 50) }
    #expect(moderation.isHot)
    wake(after: 50, mayPause: false)
    #expect(!moderation.isHot)
  }
}
