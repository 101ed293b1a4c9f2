import Base
import Supervisor
import Testing

@Suite("What counts as another way")
struct PathJudgeTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  private func answer(
    _ device: String = "wan0", _ gateway: String? = "198.51.100.1", _ source: String = "198.51.100.2", index: Int32 = 2,
    isUp: Bool = true, changes: UInt32 = 2
  ) throws -> PathAnswer {
    PathAnswer(
      path: Path(
        device: try #require(DeviceName(device)), gateway: gateway.flatMap { IPAddress($0) },
        source: IPAddress(source)), index: index, isUp: isUp, carrierChanges: changes)
  }

  private func judge(_ first: PathAnswer?) -> PathJudge {
    var judge = PathJudge()
    _ = judge.begin(first)
    return judge
  }

  @Test("The first answer counts as it is, without a carrier as none")
  func begin() throws {
    var judge = PathJudge()
    #expect(judge.begin(try answer()) == (try answer().path))
    #expect(judge.begin(try answer(isUp: false)) == nil)
    #expect(judge.begin(nil) == nil)
    #expect(judge.askAt == nil)
  }

  @Test("R-06: another device, gateway or address is an event, at once and once")
  func changes() throws {
    let others = [
      try answer("wan1"), try answer("wan0", "198.51.100.9"), try answer("wan0", nil),
      try answer("wan0", "198.51.100.1", "198.51.100.77"),
    ]
    for other in others {
      var judge = judge(try answer())
      #expect(judge.take(other, at: start) { _ in true } == .other(other.path))
      #expect(judge.take(other, at: start) { _ in true } == .same)
    }
  }

  @Test("The same answer is none, however often and whatever the event was")
  func noise() throws {
    var judge = judge(try answer())
    for step in 0..<1000 {
      #expect(judge.take(try answer(), at: start + .milliseconds(step)) { _ in false } == .same)
    }
    #expect(judge.askAt == nil)
  }

  @Test("A way that is gone for less than two seconds is not told as lost, and its return asks for proof at once")
  func flap() throws {
    var judge = judge(try answer())
    #expect(judge.take(nil, at: start) { _ in true } == .gone)
    #expect(judge.askAt == start + PathJudge.patience)
    #expect(judge.take(nil, at: start + .milliseconds(1999)) { _ in true } == .same)
    #expect(judge.take(try answer(), at: start + .milliseconds(1999)) { _ in true } == .again(try answer().path))
    #expect(judge.askAt == nil)
    #expect(judge.take(try answer(), at: start + .seconds(2)) { _ in true } == .same)
  }

  @Test("Another way that comes up meanwhile ends the settling at once")
  func failOver() throws {
    var judge = judge(try answer())
    #expect(judge.take(nil, at: start) { _ in true } == .gone)
    #expect(
      judge.take(try answer("wan1"), at: start + .milliseconds(3)) { _ in true } == .other(try answer("wan1").path))
    #expect(judge.askAt == nil)
  }

  @Test("After two seconds without a way it is told once, and the next usable answer ends it, the old way too")
  func lost() throws {
    var judge = judge(try answer())
    #expect(judge.take(nil, at: start) { _ in true } == .gone)
    #expect(judge.take(nil, at: start + .seconds(2)) { _ in true } == .other(nil))
    #expect(judge.askAt == nil)
    #expect(judge.take(nil, at: start + .seconds(3)) { _ in true } == .same)
    #expect(judge.take(try answer(isUp: false), at: start + .seconds(4)) { _ in true } == .same)
    #expect(judge.take(try answer(), at: start + .seconds(5)) { _ in true } == .other(try answer().path))
  }

  @Test("A route by a device without a carrier leads nowhere")
  func carrier() throws {
    var judge = judge(try answer())
    #expect(judge.take(try answer(isUp: false, changes: 3), at: start) { _ in true } == .gone)
    #expect(judge.take(try answer(isUp: false, changes: 3), at: start + .seconds(2)) { _ in true } == .other(nil))
  }

  @Test("A cable that was out between two looks is noticed, and so is another device of the same name")
  func betweenLooks() throws {
    var judge = judge(try answer())
    #expect(judge.take(try answer(changes: 4), at: start) { _ in true } == .again(try answer().path))
    #expect(judge.take(try answer(changes: 4), at: start) { _ in true } == .same)
    #expect(judge.take(try answer(index: 9, changes: 4), at: start) { _ in true } == .again(try answer().path))
  }

  @Test("A fresh IPv6 privacy address is no event while the one in use is there; its end is, and so is another net")
  func privacy() throws {
    func own(_ source: String) throws -> PathAnswer { try answer("wan0", "fe80::1", source) }
    let first = try own("2001:db8:100::aaaa")
    var judge = judge(first)
    let fresh = try own("2001:db8:100::bbbb")
    for _ in 0..<3 { #expect(judge.take(fresh, at: start) { $0 == first.path.source } == .same) }
    #expect(judge.take(fresh, at: start) { _ in false } == .other(fresh.path))
    let renumbered = try own("2001:db8:200::bbbb")
    #expect(judge.take(renumbered, at: start) { _ in true } == .other(renumbered.path))
  }

  @Test("An event is followed by a question at once and one when all is quiet; a storm by few")
  func questions() {
    var question = PathQuestion()
    #expect(question.askAt == nil)
    question.notice(at: start)
    #expect(question.askAt == start)
    question.ask(at: start)
    #expect(question.askAt == start + PathQuestion.settle)
    var asked = 0
    for step in 0..<1000 {
      let now = start + .milliseconds(step)
      question.notice(at: now)
      if let due = question.askAt, due <= now {
        question.ask(at: now)
        asked += 1
      }
    }
    #expect(asked <= 51)
    let end = start + .milliseconds(999) + PathQuestion.settle
    while let due = question.askAt, due <= end { question.ask(at: due) }
    #expect(question.askAt == nil, "and it ends")
  }
}
