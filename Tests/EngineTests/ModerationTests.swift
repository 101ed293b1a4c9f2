import Base
import Engine
import Testing

@Suite("Sleeping out short windows")
struct ModerationTests {
  private var now = Instant(nanoseconds: 1_000_000_000_000)
  private var moderation = Moderation()

  private mutating func wake(after microseconds: Int, hasPackets: Bool = true, mayPause: Bool = true) {
    now = now + .microseconds(microseconds)
    moderation.note(hasPackets: hasPackets, mayPause: mayPause, at: now)
  }

  @Test("begins when a fifth wake-up follows four within 400 us each, ends when two windows were empty")
  mutating func windows() {
    for _ in 0..<4 {
      wake(after: 399)
      #expect(!moderation.isHot)
    }
    wake(after: 399)
    #expect(moderation.isHot)
    wake(after: 200, hasPackets: false)
    wake(after: 200)
    wake(after: 200, hasPackets: false)
    #expect(moderation.isHot)
    wake(after: 200, hasPackets: false)
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

  @Test("turns without packets neither count nor start it, and who may not pause does not")
  mutating func others() {
    for _ in 0..<10 { wake(after: 50, hasPackets: false) }
    #expect(!moderation.isHot)
    for _ in 0..<10 { wake(after: 50, mayPause: false) }
    #expect(!moderation.isHot)
    for _ in 0..<5 { wake(after: 50) }
    #expect(moderation.isHot)
    wake(after: 50, mayPause: false)
    #expect(!moderation.isHot)
  }
}
