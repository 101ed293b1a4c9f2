import Base
import Exchange
import Profile
import Supervisor
import Testing

@Suite("Pauses between attempts")
struct BackoffTests {
  /// Fails again and again with one code and collects the pauses in seconds.
  private func pauses(_ code: Fault.Code, count: Int, seed: UInt64 = 3) throws -> [Double] {
    var stage = Stage.started("203.0.113.9", seed: seed)
    var result: [Double] = []
    for _ in 0..<count {
      stage.end(code)
      result.append(stage.connect == nil ? try #require(stage.wait) : 0)
      if stage.connect == nil { try stage.wakeNext() }
    }
    return result
  }

  @Test("While nothing answers, never more than 5 s; the caps grow before")
  func silent() throws {
    for seed in 0..<50 {
      let pauses = try pauses(.serverSilent, count: 30, seed: UInt64(seed))
      #expect(pauses.allSatisfy { (0.25...5).contains($0) })
      #expect(pauses[0] <= 1)
      #expect(pauses[1] <= 2)
      #expect(pauses[2] <= 4)
    }
  }

  @Test("After an answer that refuses, up to 60 s, spread over the whole span")
  func refused() throws {
    for code in [Fault.Code.tlsFailed, .cipherRefused, .cipherUnsupported, .compressionRefused, .subnetConflict] {
      let all = try (0..<50).flatMap { try pauses(code, count: 12, seed: UInt64($0)).suffix(5) }
      #expect(all.allSatisfy { (0.25...60).contains($0) })
      #expect(all.contains { $0 > 45 })
      #expect(all.contains { $0 < 15 })
    }
  }

  @Test("R-15: a refused login waits 1, 5, 15 minutes, then hours, and says since when")
  func login() throws {
    #expect(try pauses(.authFailed, count: 6) == [60, 300, 900, 3600, 3600, 3600])
    var stage = Stage.started("203.0.113.9")
    stage.end(.authFailed)
    let since = try #require(stage.supervisor.lastFailure?.since)
    #expect(stage.effects == [.configure])
    try stage.wakeNext()
    stage.end(.authFailed)
    #expect(stage.supervisor.lastFailure?.since == since)
  }

  @Test("R-15: neither the uplink nor a dying engine cuts a login's pause short, the household does")
  func loginHolds() throws {
    var stage = Stage.started("203.0.113.9")
    stage.tell(.path(Stage.path()))
    stage.end(.authFailed)
    stage.tell(.path(Stage.path("wwan0")))
    stage.tell(.path(nil))
    stage.tell(.path(Stage.path("wwan0")))
    stage.tell(.engineDied("signal 11"))
    #expect(stage.wait == 60)
    stage.tell(.reconnect(after: nil))
    #expect(stage.connect != nil)
    stage.end(.authFailed)
    #expect(stage.wait == 60)
  }

  @Test("A login that went well starts the ladder anew")
  func forgiven() throws {
    var stage = Stage.started("203.0.113.9")
    stage.end(.authFailed)
    try stage.wakeNext()
    try stage.comeUp()
    stage.pass(.seconds(1))
    stage.end(.authFailed)
    #expect(stage.wait == 60)
  }

  @Test("H-12: the server's wishes are obeyed, within an hour")
  func wishes() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    stage.end(.authTemporary, retryAfter: .seconds(42), advance: .nextRemote)
    #expect(stage.wait == 42)
    try stage.wakeNext()
    #expect(stage.connect?.remote == 1)
    stage.end(.authTemporary, retryAfter: .seconds(1_000_000), advance: .stay)
    #expect(stage.wait == 3600)
    try stage.wakeNext()
    #expect(stage.connect?.remote == 1)
  }

  @Test("H-15: HALT is a long pause, RESTART of a good session reconnects there, with an advance at the next")
  func halt() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    stage.end(.serverHalt)
    #expect(stage.wait == 300)
    try stage.wakeNext()
    let first = stage.connect?.remote
    try stage.comeUp()
    stage.pass(.seconds(60))
    stage.end(.serverRestart)
    #expect(stage.connect?.remote == first)
    try stage.comeUp()
    stage.pass(.seconds(60))
    stage.end(.serverRestart, advance: .nextRemote)
    if stage.connect == nil { try stage.wakeNext() }
    #expect(stage.connect?.remote != first)
  }

  @Test("A server that hands out a token and refuses the login at once is a refused login, again and again")
  func tokenBait() throws {
    var stage = Stage.started("203.0.113.9")
    for pause in [60.0, 300] {
      stage.tell(.path(Stage.path()))
      stage.event(.token(SecretBytes([1, 2, 3]), user: "u"))
      stage.end(.authFailed)
      #expect(stage.wait == pause)
      try stage.wakeNext()
    }
  }

  @Test("H-13: a refused token is dropped, the password tried once soon, then the pauses of a refused login")
  func token() throws {
    for keepsToken in [false, true] {
      var stage = try Stage.up()
      stage.event(.token(SecretBytes([1, 2, 3]), user: "u"))
      stage.pass(.seconds(100))
      stage.end(.keepaliveTimeout)
      #expect(stage.connect?.token == SecretBytes([1, 2, 3]))
      #expect(stage.connect?.tokenUser == "u")
      stage.event(.ended(EndReport(fault: Fault(.authFailed), keepsToken: keepsToken)))
      #expect(try #require(stage.wait) < 1)
      try stage.wakeNext()
      #expect(stage.connect != nil)
      #expect(stage.connect?.token == nil)
      stage.end(.authFailed)
      #expect(stage.wait == 60)
    }
  }

  @Test("A session that lives a moment only does not restart the pauses")
  func flapping() throws {
    var stage = try Stage.up()
    var immediate = 0
    for _ in 0..<10 {
      stage.pass(.seconds(1))
      stage.end(.keepaliveTimeout)
      if stage.connect == nil { try stage.wakeNext() } else { immediate += 1 }
      try stage.comeUp()
    }
    #expect(immediate == 1)
  }

  @Test("R-06: a server that said it restarts is asked every second until it should be back, then less often")
  func announcedRestart() throws {
    var longest = 0.0
    for seed in 1...20 {
      var stage = try Stage.up(seed: UInt64(seed))
      stage.end(.serverRestart)
      let began = stage.now
      while stage.now - began < Failover.restartGrace {
        stage.end(.serverSilent)
        #expect(try #require(stage.wait) <= 1)
        try stage.wakeNext()
      }
      for _ in 0..<5 {
        stage.end(.serverSilent)
        longest = max(longest, try #require(stage.wait))
        try stage.wakeNext()
      }
    }
    #expect(longest > 2)
  }
}
