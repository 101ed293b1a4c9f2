import Base
import Supervisor
import Testing

@Suite("Another server beside the session that serves (C-3)")
struct SwitchoverTests {
  private static let preferred = Switchover.Goal.preferred(remote: 0)

  /// A switchover with its clock, and what it wanted.
  private struct Hand {
    var switchover = Switchover()
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var wanted: [Switchover.Effect] = []

    @discardableResult
    mutating func tell(_ events: Switchover.Event...) -> [Switchover.Effect] {
      wanted = []
      for event in events { wanted += switchover.handle(event, at: now) }
      return deeds
    }

    /// Without the notes.
    var deeds: [Switchover.Effect] { wanted.filter { if case .note = $0 { false } else { true } } }

    @discardableResult
    mutating func wake() throws -> [Switchover.Effect] {
      now = try #require(switchover.nextWake)
      return tell(.wake)
    }

    /// To a trial of the preferred remote.
    mutating func begin() throws {
      tell(.preferred(0))
      #expect(try wake() == [.begin(SwitchoverTests.preferred)])
    }
  }

  @Test("The better remote is tried after a minute, and takes over once it is up, carries data and has its network")
  func success() throws {
    var hand = Hand()
    let start = hand.now
    try hand.begin()
    #expect(hand.now - start == Switchover.firstPause)
    #expect(hand.tell(.answered) == [])
    #expect(hand.tell(.up) == [.prove])
    #expect(hand.tell(.stands) == [])
    #expect(hand.tell(.proved(true)) == [.exchange(Self.preferred)])
    #expect(hand.tell(.preferred(nil)) == [])
    #expect(try hand.wake() == [.leave])
    #expect(hand.tell(.gone) == [])
    #expect(!hand.switchover.isBusy && hand.switchover.nextWake == nil)
  }

  @Test("In whatever order proof and network come, both are needed")
  func order() throws {
    for events in [[Switchover.Event.proved(true), .stands], [.stands, .proved(true)]] {
      var hand = Hand()
      try hand.begin()
      hand.tell(.proved(true), .stands)
      #expect(hand.tell(.up) == [.prove], "what was said before it was up does not count")
      #expect(hand.tell(events[0]) == [])
      #expect(hand.tell(events[1]) == [.exchange(Self.preferred)])
    }
  }

  @Test("Each failure doubles the pause, up to a quarter of an hour; a success forgets them")
  func pauses() throws {
    var hand = Hand()
    var spans: [Duration] = []
    for _ in 0..<7 {
      let from = hand.now
      try hand.begin()
      spans.append(hand.now - from)
      #expect(hand.tell(.failed(.serverSilent)) == [.leave, .failed(remote: 0)])
      hand.tell(.gone)
    }
    #expect(spans == [60, 120, 240, 480, 900, 900, 900].map { .seconds($0) })
    try hand.begin()
    #expect(hand.tell(.answered, .up, .proved(true), .stands) == [.prove, .exchange(Self.preferred)])
    #expect(hand.switchover.failures == 0)
  }

  @Test("A silent server, a handshake that does not end, and data that does not pass are given up in time")
  func deadlines() throws {
    for (events, span) in [
      ([Switchover.Event](), Switchover.answerDeadline), ([.answered], Switchover.upDeadline),
      ([.answered, .up], Switchover.proofDeadline), ([.answered, .up, .stands], Switchover.proofDeadline),
      ([.answered, .up, .proved(true)], Switchover.proofDeadline),
    ] {
      var hand = Hand()
      try hand.begin()
      let began = hand.now
      for event in events { hand.tell(event) }
      #expect(try hand.wake() == [.leave, .failed(remote: 0)])
      #expect(hand.now - began == span)
    }
    var hand = Hand()
    try hand.begin()
    hand.tell(.answered, .up)
    #expect(hand.tell(.proved(false)) == [.leave, .failed(remote: 0)])
  }

  @Test("A refused login beside one that serves: from then on the old session ends first, once the other has answered")
  func oneSession() throws {
    var hand = Hand()
    try hand.begin()
    hand.tell(.answered)
    #expect(hand.tell(.failed(.authFailed)) == [.leave])
    #expect(hand.switchover.breaksFirst && hand.switchover.failures == 0)
    #expect(hand.tell(.gone) == [.begin(Self.preferred)])
    #expect(hand.tell(.answered) == [.hold(Switchover.upDeadline + Switchover.proofDeadline)])
    #expect(hand.tell(.servingLost(nil)) == [])
    #expect(hand.tell(.up, .proved(true), .stands) == [.prove, .exchange(Self.preferred)])
    #expect(try hand.wake() == [.leave])
    hand.tell(.gone)
    // Remembered.
    try hand.begin()
    #expect(hand.tell(.answered) == [.hold(Switchover.upDeadline + Switchover.proofDeadline)])
  }

  @Test("While the preferred server is silent the session that serves is never ended for it")
  func neverForSilence() throws {
    var hand = Hand()
    try hand.begin()
    hand.tell(.failed(.authFailed), .gone)
    #expect(try hand.wake() == [.leave, .failed(remote: 0)])
  }

  @Test("Refused although no other session is in the way: back to the one that was good, and never again by itself")
  func refused() throws {
    var hand = Hand()
    try hand.begin()
    hand.tell(.failed(.authFailed), .gone, .answered)
    #expect(hand.tell(.failed(.authFailed)) == [.leave, .release, .failed(remote: 0)])
    hand.tell(.gone)
    hand.tell(.preferred(0))
    #expect(hand.switchover.isRefused && hand.switchover.nextWake == nil)
    // The owner may ask for it all the same.
    #expect(hand.tell(.asked(.use(remote: 0))) == [.begin(.use(remote: 0))])
  }

  @Test(
    "A session that its server ends while another logs in was ended for that: the new one goes on, the old one waits")
  func kicked() throws {
    var hand = Hand()
    try hand.begin()
    hand.tell(.answered)
    #expect(hand.tell(.servingLost(.serverRestart)) == [.hold(Switchover.upDeadline + Switchover.proofDeadline)])
    #expect(hand.switchover.breaksFirst)
    #expect(hand.tell(.up, .proved(true), .stands) == [.prove, .exchange(Self.preferred)])
  }

  @Test(
    "A session that falls silent meanwhile waits for the new one, without a conclusion; held, it is let go on when that fails"
  )
  func lostMeanwhile() throws {
    var hand = Hand()
    try hand.begin()
    hand.tell(.answered)
    #expect(hand.tell(.servingLost(.keepaliveTimeout)) == [.hold(Switchover.upDeadline + Switchover.proofDeadline)])
    #expect(!hand.switchover.breaksFirst)
    #expect(hand.tell(.failed(.handshakeTimeout)) == [.leave, .release, .failed(remote: 0)])
    // Before the other has answered it is on its own.
    hand.tell(.gone)
    try hand.begin()
    #expect(hand.tell(.servingLost(.keepaliveTimeout)) == [.leave])
  }

  @Test("No way, or put down: the second session goes, and nothing counts against it")
  func withdrawn() throws {
    for event in [Switchover.Event.wayLost, .withdrawn] {
      for before in [[Switchover.Event](), [.answered], [.answered, .up]] {
        var hand = Hand()
        try hand.begin()
        for event in before { hand.tell(event) }
        #expect(hand.tell(event) == [.leave])
        #expect(hand.switchover.failures == 0)
      }
      var hand = Hand()
      try hand.begin()
      hand.tell(.answered, .up, .proved(true), .stands)
      #expect(hand.tell(event) == [.leave])
      #expect(hand.tell(.gone) == [])
    }
  }

  @Test("What the owner asks for is tried at once; where it cannot stand beside, the tunnel goes there by itself")
  func asked() throws {
    var hand = Hand()
    hand.tell(.preferred(0))
    #expect(hand.tell(.asked(.use(remote: 2))) == [.begin(.use(remote: 2))])
    #expect(try hand.wake() == [.leave, .failed(remote: 2), .insist(.use(remote: 2))])
    hand.tell(.gone)
    #expect(hand.tell(.asked(.renewed)) == [.begin(.renewed)])
    #expect(hand.tell(.asked(.use(remote: 1))) == [.leave])
    #expect(hand.tell(.gone) == [.begin(.use(remote: 1))])
  }

  @Test("What the owner asked for is not forgotten when the second session cannot go on")
  func askedAndLost() throws {
    for event in [Switchover.Event.wayLost, .withdrawn, .servingLost(.keepaliveTimeout)] {
      var hand = Hand()
      hand.tell(.asked(.use(remote: 1)))
      #expect(hand.tell(event) == [.leave, .insist(.use(remote: 1))])
      hand = Hand()
      try hand.begin()
      hand.tell(.asked(.use(remote: 1)))
      #expect(hand.tell(event) == [.insist(.use(remote: 1))])
      #expect(hand.tell(.gone) == [])
    }
  }

  @Test("The remote that is just being tried need not begin anew for the owner")
  func askedAlready() throws {
    var hand = Hand()
    try hand.begin()
    #expect(hand.tell(.asked(.use(remote: 0))) == [])
    #expect(hand.switchover.goal == .use(remote: 0))
  }

  @Test("A refused login does not come right by losing the good one, whoever asked")
  func askedAndRefused() throws {
    var hand = Hand()
    hand.tell(.asked(.use(remote: 1)))
    hand.tell(.failed(.authFailed), .gone, .answered)
    #expect(hand.tell(.failed(.authFailed)) == [.leave, .release, .failed(remote: 1)])
  }

  @Test("One that does not leave is ended")
  func stuck() throws {
    var hand = Hand()
    try hand.begin()
    hand.tell(.failed(.engineDied))
    #expect(try hand.wake() == [.kill])
    #expect(!hand.switchover.isBusy)
  }

  @Test("Without a pause nothing is tried by itself")
  func never() {
    var hand = Hand()
    hand.switchover.pause = nil
    hand.tell(.preferred(0))
    #expect(hand.switchover.nextWake == nil)
  }

  @Test("Any order of events: at most one session beside, never exchanged unproven, a deadline in every state")
  func anyOrder() throws {
    var dice = Dice(state: 4)
    for _ in 0..<400 {
      var hand = Hand()
      var isThere = false
      var isHeld = false
      var isLeaving = false
      var (isUp, isProven, stands) = (false, false, false)
      var begun: [Instant] = []
      for _ in 0..<60 {
        let event = Self.anyEvent(&dice, mayGo: isThere && isLeaving)
        if event == .wake, Bool.random(using: &dice), let due = hand.switchover.nextWake {
          hand.now = max(hand.now, due)
        }
        hand.now += .milliseconds(Int64.random(in: 0...3_000, using: &dice))
        if isThere {
          if event == .up { isUp = true }
          if event == .proved(true), isUp { isProven = true }
          if event == .stands, isUp { stands = true }
        }
        if event == .gone { isThere = false }
        for effect in hand.tell(event) {
          switch effect {
          case .begin(let goal):
            #expect(!isThere)
            (isThere, isLeaving, isHeld, isUp, isProven, stands) = (true, false, false, false, false, false)
            if case .preferred = goal { begun.append(hand.now) }
          case .exchange(_): #expect(isThere && !isLeaving && isUp && isProven && stands)
          case .hold:
            #expect(isThere && !isHeld)
            isHeld = true
          case .release:
            #expect(isHeld)
            isHeld = false
          case .kill: isThere = false
          case .prove: #expect(isThere && !isLeaving)
          case .leave:
            #expect(isThere)
            isLeaving = true
          case .insist, .failed, .note: break
          }
        }
        #expect(!hand.switchover.isBusy || hand.switchover.nextWake != nil)
        #expect(hand.switchover.isBusy || !isThere || event == .gone)
      }
      // Two in a row: one that was refused, and the one after it, which ends the old session first.
      for (first, third) in zip(begun, begun.dropFirst(2)) { #expect(third - first >= Switchover.firstPause) }
    }
  }

  private static func anyEvent(_ dice: inout Dice, mayGo: Bool) -> Switchover.Event {
    switch Int.random(in: 0..<16, using: &dice) {
    case 0, 1: .preferred(Bool.random(using: &dice) ? 0 : nil)
    case 2: .asked(.use(remote: Int.random(in: 0...1, using: &dice)))
    case 3: .asked(.renewed)
    case 4: .answered
    case 5, 6: .up
    case 7, 8: .proved(Int.random(in: 0..<4, using: &dice) > 0)
    case 9, 10: .stands
    case 11: .failed([.authFailed, .serverSilent, .engineDied].randomElement(using: &dice) ?? .serverSilent)
    case 12: .servingLost([nil, .serverRestart, .keepaliveTimeout].randomElement(using: &dice) ?? nil)
    case 13: Bool.random(using: &dice) ? .wayLost : .withdrawn
    case 14: mayGo ? .gone : .wake
    default: .wake
    }
  }
}
