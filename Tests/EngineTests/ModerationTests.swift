import Base
import Engine
import Testing

@Suite("Sleeping out short windows")
struct ModerationTests {
  private var now = Instant(nanoseconds: 1_000_000_000_000)
  private var moderation = Moderation()

  private mutating func wake(after microseconds: Int, packets: UInt64 = 5, mayPause: Bool = true) {
    now = now + .microseconds(microseconds)
    moderation.note(packets: packets, mayPause: mayPause, at: now)
  }

  @Test("begins when a fifth wake-up follows four within 400 us each, ends when two windows were empty")
  mutating func windows() {
    for _ in 0..<4 {
      wake(after: 399)
      #expect(!moderation.isHot)
    }
    wake(after: 399)
    #expect(moderation.isHot)
    wake(after: 200, packets: 0)
    wake(after: 200)
    wake(after: 200, packets: 0)
    #expect(moderation.isHot)
    wake(after: 200, packets: 0)
    #expect(!moderation.isHot)
    for _ in 0..<4 { wake(after: 100) }
    #expect(!moderation.isHot)
  }

  @Test("a question and its answer now and then are never late")
  mutating func pings() {
    for _ in 0..<1000 {
      wake(after: 10_000)
      wake(after: 300)
      #expect(!moderation.isHot)
    }
  }

  @Test("eight windows in a row that bring less than four packets were not worth it: none for 100 ms")
  mutating func thinWindows() {
    for _ in 0..<5 { wake(after: 50, packets: 1) }
    for _ in 0..<7 { wake(after: 200, packets: 3) }
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
