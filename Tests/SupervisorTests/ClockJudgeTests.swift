import Base
import Supervisor
import Testing

@Suite("R-09: the clock")
struct ClockJudgeTests {
  private let start = Instant(nanoseconds: 20_000_000_000)
  private let built = WallTime(seconds: 1_793_491_200)
  private let day: Int64 = 86_400

  private func judge(_ wall: Int64, files: [Int64] = []) -> ClockJudge {
    ClockJudge(built: built, files: files.map { WallTime(seconds: $0) }, wall: WallTime(seconds: wall), at: start)
  }

  @Test("A clock of 1970 is unset; certificates are judged at the floor until it is set, and at the clock from then on")
  func set() {
    var clock = judge(20)
    #expect(clock.isUnset)
    #expect(clock.certificateTime(WallTime(seconds: 20)) == built)
    #expect(clock.look(WallTime(seconds: 80), at: start + .seconds(60)) == nil)
    let real = WallTime(seconds: built.seconds + 100 * day)
    #expect(clock.look(real, at: start + .seconds(61)) == .set)
    #expect(!clock.isUnset)
    #expect(clock.certificateTime(real) == real)
    #expect(clock.look(real + .seconds(1), at: start + .seconds(62)) == nil)
  }

  @Test("A clock that is set tells steps by name and nothing else; one back before the floor is unset again")
  func steps() {
    let real = built.seconds + 100 * day
    var clock = judge(real)
    #expect(!clock.isUnset)
    for second in 1...100 {
      #expect(clock.look(WallTime(seconds: real + Int64(second)), at: start + .seconds(second)) == nil)
    }
    #expect(clock.look(WallTime(seconds: real + 101 + 3600), at: start + .seconds(101)) == .stepped(3600))
    #expect(clock.look(WallTime(seconds: real + 102), at: start + .seconds(102)) == .stepped(-3600))
    #expect(clock.look(WallTime(seconds: 5), at: start + .seconds(103)) == .unset)
    #expect(clock.look(WallTime(seconds: real), at: start + .seconds(104)) == .set)
  }

  @Test(
    "Files written since raise the floor, less the day by which a time zone may mislead; dates of another age do not")
  func files() {
    let written = built.seconds + 50 * day
    #expect(judge(written - 2 * day, files: [written, 0]).isUnset)
    #expect(!judge(written - day, files: [written]).isUnset)
    #expect(judge(0, files: [written]).floor == WallTime(seconds: written - day))
    #expect(judge(0, files: [Int64(Int32.max), .max]).floor == built)
    #expect(judge(0, files: [.min, 0]).floor == built)
    var clock = judge(written)
    clock.setFloor(built: built, files: [WallTime(seconds: written + 5 * day)])
    #expect(clock.look(WallTime(seconds: written), at: start) == .unset)
  }

  @Test("A suspend is the time by which the clock of the boot ran ahead of the monotonic one")
  func sleep() {
    var judge = SleepJudge()
    #expect(judge.look(start, monotonicMicroseconds: 5_000_000) == nil, "slept before we began")
    #expect(judge.look(start + .seconds(100), monotonicMicroseconds: 105_000_000) == nil)
    #expect(judge.look(start + .milliseconds(100_900), monotonicMicroseconds: 105_000_000) == nil)
    #expect(judge.look(start + .seconds(400), monotonicMicroseconds: 105_000_000) == .seconds(300))
    #expect(judge.look(start + .seconds(401), monotonicMicroseconds: 106_000_000) == nil)
  }
}
