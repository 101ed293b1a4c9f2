import Testing
import Wire

@Suite("Replay windows")
struct ReplayWindowTests {
  static let sizes = [64, 65, 128, 256, 1000, 2048]

  @Test("ids in order are taken once", arguments: sizes)
  func inOrder(size: Int) {
    var window = ReplayWindow(size: size)
    for id in 1...5000 as ClosedRange<UInt64> {
      let first = window.accept(id)
      let second = window.accept(id)
      #expect(first && !second, "\(id)")
    }
  }

  @Test("id 0 is never taken")
  func zero() {
    var window = ReplayWindow(size: 64)
    let atStart = window.accept(0)
    let moved = window.accept(3)
    let later = window.accept(0)
    #expect(!atStart && moved && !later)
  }

  @Test("the oldest id still taken lies size - 1 behind the newest", arguments: sizes)
  func edge(size: Int) {
    for newest in [UInt64(size), 5_000, 5_055, 5_056, 5_063, 5_064, 1 << 40, .max] {
      var window = ReplayWindow(size: size)
      let jumped = window.accept(newest)
      #expect(jumped)
      let tooOld = newest - UInt64(size)
      let (stale, oldest) = (window.accept(tooOld), window.accept(tooOld + 1))
      let again = window.accept(tooOld + 1)
      #expect(!stale && oldest && !again, "newest \(newest)")
    }
  }

  @Test("near the end of 32 bits nothing wraps", arguments: sizes)
  func endOf32Bits(size: Int) {
    var window = ReplayWindow(size: size)
    for id in UInt64(UInt32.max) - 3000...UInt64(UInt32.max) {
      let taken = window.accept(id)
      #expect(taken)
    }
    let (last, first) = (window.accept(UInt64(UInt32.max)), window.accept(1))
    #expect(!last && !first)
  }

  @Test("asking does not change the answer")
  func asking() {
    var window = ReplayWindow(size: 64)
    let asked = (window.wouldAccept(9), window.wouldAccept(9))
    let taken = window.accept(9)
    let afterwards = window.wouldAccept(9)
    #expect(asked == (true, true) && taken && !afterwards)
  }

  @Test("agrees with a plain set over shuffled, doubled and leaping ids", arguments: sizes)
  func againstSet(size: Int) {
    var window = ReplayWindow(size: size)
    var seen: Set<UInt64> = []
    var newest: UInt64 = 0
    var state: UInt64 = 42
    for step in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let back = state >> 33 % UInt64(size * 2)
      let leap: UInt64 = step % 997 == 0 ? state >> 50 : step % 3 == 0 ? 1 : 0
      let id = leap > 0 ? newest + leap : newest - min(back, newest)
      let expected = id != 0 && (id > newest || newest - id < UInt64(size)) && !seen.contains(id)
      let taken = window.accept(id)
      #expect(taken == expected, "id \(id), newest \(newest)")
      if taken {
        seen.insert(id)
        newest = max(newest, id)
      }
    }
  }

  @Test("size 0 takes only the next id")
  func strict() {
    var window = ReplayWindow(size: 0)
    let verdicts = [1, 3, 2, 2, 1, 3, 5].map { window.accept($0) }
    #expect(verdicts == [true, false, true, false, false, true, false])
  }

  @Test("any size is brought into bounds", arguments: [(-5, 0), (7, 7), (70_000, 65_536), (Int.max, 65_536)])
  func bounds(asked: Int, size: Int) {
    let window = ReplayWindow(size: asked)
    let got = window.size
    #expect(got == UInt64(size))
  }
}

@Suite("Replay windows with time")
struct TimedReplayWindowTests {
  private func verdicts(_ ids: [(UInt32, UInt32)], size: Int = 64) -> [Bool] {
    var window = TimedReplayWindow(size: size)
    return ids.map { window.accept(LongPacketID(counter: $0.0, time: $0.1)) }
  }

  @Test("within one time the counter decides")
  func oneTime() {
    #expect(
      verdicts([(1, 9), (3, 9), (2, 9), (3, 9), (0, 9), (100, 9), (36, 9), (37, 9)]) == [
        true, true, true, false, false, true, false, true,
      ])
  }

  @Test("an older time is a replay, a newer one opens a new window")
  func times() {
    #expect(
      verdicts([(50, 9), (51, 8), (1, 10), (1, 10), (60, 9), (2, 10), (0, 11), (3, 10)]) == [
        true, false, true, false, false, true, false, true,
      ])
  }

  @Test("the counter of tls-crypt-v2 clients may begin at 0x0f000001")
  func highStart() {
    #expect(verdicts([(0x0f00_0001, 9), (0x0f00_0002, 9), (0x0f00_0001, 9)]) == [true, true, false])
  }

  @Test("strict mode begins every time at 1")
  func strict() {
    #expect(
      verdicts([(2, 9), (1, 9), (2, 9), (4, 9), (2, 10), (1, 10)], size: 0) == [
        false, true, true, false, false, true,
      ])
  }

  @Test("time 0 is a time like any other")
  func timeZero() {
    #expect(verdicts([(1, 0), (1, 0), (2, 0)]) == [true, false, true])
  }
}
