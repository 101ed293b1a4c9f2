import Base
import Exchange
import Profile
import Supervisor
import Testing

@Suite("Logins that were refused, and passwords for one use")
struct LoginTests {
  private static func login(_ password: String, code: String? = nil) -> (inout Profile) -> Void {
    {
      $0.wantsCredentials = true
      $0.credentials = Credentials(
        user: "u", password: SecretBytes(Array(password.utf8)),
        oneTimePassword: code.map { SecretBytes(Array($0.utf8)) })
    }
  }

  private static func profile(_ change: (inout Profile) -> Void) -> Profile {
    var profile = Stage.profile(["203.0.113.9"])
    change(&profile)
    return profile
  }

  @Test("R-15: down and up, another way, sleep, an engine's death and the set clock leave a login's pause as it is")
  func gate() throws {
    var stage = Stage.started("203.0.113.9")
    stage.tell(.path(Stage.path()))
    stage.end(.authFailed)
    stage.pass(.seconds(10))
    stage.tell(.down)
    #expect(stage.supervisor.isIdle)
    stage.tell(.up)
    #expect(stage.connect == nil)
    #expect(stage.wait == 50)
    let events: [TunnelEvent] = [
      .path(Stage.path("wwan0")), .shaken, .clockSet(WallTime(seconds: 1_800_000_000)), .engineDied("signal 11"),
      .pause(until: nil), .resume, .rest(.demand("at home")), .up, .use(remote: 0), .use(remote: nil),
    ]
    for event in events {
      stage.tell(event)
      #expect(stage.connect == nil)
    }
    #expect(stage.wait == 50)
    try stage.wakeNext()
    #expect(stage.connect != nil)
  }

  @Test("R-15: a changed password ends the pause, a changed option does not, adit reconnect does")
  func mended() throws {
    var stage = Stage.started("203.0.113.9", change: Self.login("old"))
    stage.end(.authFailed)
    #expect(stage.effects.contains(.configure))
    var other = Self.profile(Self.login("old"))
    other.timers.ping = .seconds(7)
    stage.tell(.configured(other, nil))
    #expect(stage.connect == nil)
    #expect(stage.wait == 60)
    stage.tell(.configured(Self.profile(Self.login("new")), nil))
    #expect(stage.connect != nil)
    stage.end(.authFailed)
    #expect(stage.wait == 60)
    stage.tell(.reconnect(after: nil))
    #expect(stage.connect != nil)
  }

  @Test("While a login waits, its file is looked at every ten seconds, and nothing is attempted for it")
  func looks() throws {
    var stage = Stage.started("203.0.113.9")
    stage.end(.authFailed)
    for _ in 0..<5 {
      stage.pass(.seconds(10))
      #expect(stage.tell(.wake) == [.lookAtSecrets])
    }
    stage.pass(.seconds(10))
    stage.tell(.wake)
    #expect(stage.connect != nil)
  }

  @Test("A one-time password is sent once: without a token the next attempt waits for another one")
  func once() throws {
    var stage = Stage.started("203.0.113.9", change: Self.login("secret", code: "123456"))
    // What never got as far as the login has not used it.
    stage.end(.serverSilent)
    try stage.wakeNext()
    stage.event(.tlsEstablished(TLSSummary(version: "TLSv1.3", cipher: "", subject: "", notAfter: nil)))
    try stage.comeUp()
    stage.pass(.seconds(100))
    stage.end(.keepaliveTimeout)
    #expect(stage.connect == nil)
    #expect(stage.supervisor.lastFailure?.fault.code == .codeSpent)
    #expect(stage.supervisor.prospect == .away)
    // Nothing but another one helps, not even the owner.
    for event in [TunnelEvent.up, .reconnect(after: nil), .path(Stage.path("wwan0")), .shaken, .down, .up] {
      stage.tell(event)
      #expect(stage.connect == nil)
    }
    stage.pass(.seconds(10))
    #expect(stage.tell(.wake) == [.lookAtSecrets])
    stage.tell(.configured(Self.profile(Self.login("secret", code: "654321")), nil))
    #expect(stage.connect != nil)
  }

  @Test("C-3: a second reducer beside the first neither sends its one-time password again nor tries a login that waits")
  func beside() throws {
    var stage = Stage.started("203.0.113.9", change: Self.login("secret", code: "123456"))
    stage.event(.tlsEstablished(TLSSummary(version: "TLSv1.3", cipher: "", subject: "", notAfter: nil)))
    try stage.comeUp()
    var beside = Stage(seed: 2)
    beside.tell(.configured(Self.profile(Self.login("secret", code: "123456")), nil))
    beside.supervisor.shareLogin(of: stage.supervisor)
    beside.tell(.up)
    #expect(beside.connect == nil)
    #expect(beside.supervisor.phaseName == .pausing)
  }

  @Test("A token goes in place of a one-time password; once it is refused a fresh one is waited for")
  func tokenInstead() throws {
    var stage = Stage.started("203.0.113.9", change: Self.login("secret", code: "123456"))
    stage.event(.tlsEstablished(TLSSummary(version: "TLSv1.3", cipher: "", subject: "", notAfter: nil)))
    stage.event(.token(SecretBytes([1, 2, 3]), user: "u"))
    try stage.comeUp()
    stage.pass(.seconds(100))
    stage.end(.keepaliveTimeout)
    #expect(stage.connect?.token == SecretBytes([1, 2, 3]))
    stage.event(.tlsEstablished(TLSSummary(version: "TLSv1.3", cipher: "", subject: "", notAfter: nil)))
    stage.end(.authTokenExpired)
    try stage.wakeNext()
    #expect(stage.connect == nil)
    #expect(stage.supervisor.lastFailure?.fault.code == .codeSpent)
  }

  @Test("H-12: TEMP without a time goes to the same server again, after a pause and not at once")
  func temporary() throws {
    var stage = Stage.started("203.0.113.7", "203.0.113.8")
    for _ in 0..<5 {
      stage.end(.authTemporary, advance: .stay)
      #expect(stage.connect == nil)
      #expect(try #require(stage.wait) >= 0.25)
      try stage.wakeNext()
      #expect(stage.connect?.remote == 0)
    }
  }

  @Test("A session that the server calls expired though it got the password is a refused login")
  func expiredPassword() throws {
    var stage = Stage.started("203.0.113.9")
    stage.end(.authTokenExpired)
    #expect(stage.wait == 60)
    try stage.wakeNext()
    stage.end(.authTokenExpired)
    #expect(stage.wait == 300)
  }

  @Test("The ladders are apart: silence does not slow a login down, nor a refused login the search for a server")
  func apart() throws {
    var stage = Stage.started("203.0.113.9")
    for _ in 0..<10 {
      stage.end(.serverSilent)
      try stage.wakeNext()
    }
    stage.end(.authFailed)
    #expect(stage.wait == 60)
    try stage.wakeNext()
    stage.end(.tlsFailed)
    #expect(try #require(stage.wait) <= 1)
  }
}
