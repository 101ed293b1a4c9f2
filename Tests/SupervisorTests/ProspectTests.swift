import Base
import Exchange
import Supervisor
import Testing

@Suite("What may be expected of a tunnel")
struct ProspectTests {
  @Test("Soon while it connects, up when it is, soon again when its way is lost, away when put down")
  func life() throws {
    var stage = Stage.started("203.0.113.9")
    #expect(stage.supervisor.prospect == .soon)
    stage.tell(.path(Stage.path()))
    try stage.comeUp()
    #expect(stage.supervisor.prospect == .up)
    stage.tell(.path(nil))
    #expect(stage.supervisor.prospect == .soon)
    stage.tell(.path(Stage.path()))
    #expect(stage.supervisor.prospect == .up)
    stage.tell(.reconnect(after: nil))
    #expect(stage.supervisor.prospect == .soon)
    stage.tell(.down)
    #expect(stage.supervisor.prospect == .away)
  }

  @Test(
    "What ended the session tells",
    arguments: [
      (Fault.Code.keepaliveTimeout, TunnelSupervisor.Prospect.soon), (.serverRestart, .restarting),
      (.decryptFailed, .soon), (.serverExit, .soon), (.serverHalt, .away), (.authFailed, .away),
      (.tlsCertificateUntrusted, .away), (.keyPasswordWrong, .away),
    ])
  func ends(_ code: Fault.Code, _ prospect: TunnelSupervisor.Prospect) throws {
    var stage = try Stage.up()
    stage.end(code)
    #expect(stage.supervisor.prospect == prospect)
  }

  @Test("Away while no profile can be used, and when the network for its push cannot be made")
  func unusable() throws {
    var stage = Stage()
    #expect(stage.supervisor.prospect == .away)
    stage.tell(.configured(nil, Fault(.configurationInvalid)))
    stage.tell(.up)
    #expect(stage.supervisor.prospect == .away)
    for code in [Fault.Code.deviceTaken, .subnetConflict, .noTunnelAddress] {
      var stage = Stage.started("203.0.113.9")
      stage.end(code)
      #expect(stage.supervisor.prospect == .away)
    }
    stage = Stage.started("203.0.113.9")
    stage.tell(.engineDied("it was ended by signal 9"))
    #expect(stage.supervisor.prospect == .soon)
  }
}
