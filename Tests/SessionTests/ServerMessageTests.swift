import Base
import Exchange
import Session
import Testing

@Suite("Texts of the server")
struct ServerMessageTests {
  @Test("Split at NUL, ends trimmed, control characters drop one message only")
  func split() {
    let record = Array("valid control message\r\n\0\0Invalid\r\none\0valid one again\0".utf8)
    #expect(ServerMessage.texts(in: record) == ["valid control message", "valid one again"])
    #expect(ServerMessage.texts(in: Array("PUSH_REPLY,ping 3".utf8)) == ["PUSH_REPLY,ping 3"])
    #expect(ServerMessage.texts(in: [UInt8]()) == [])
  }

  @Test("H-12 AUTH_FAILED in all its kinds")
  func authFailed() {
    func failure(_ text: String) -> AuthFailure? {
      if case .authFailed(let failure) = ServerMessage(text) { failure } else { nil }
    }
    #expect(failure("AUTH_FAILED") == .refused(""))
    #expect(failure("AUTH_FAILED,reason, text") == .refused("reason, text"))
    #expect(
      failure("AUTH_FAILED,TEMP[backoff 42,advance no]:busy")
        == .temporary("busy", backoff: .seconds(42), advance: .stay))
    #expect(
      failure("AUTH_FAILED,TEMP[backoff 42,advance no]: sorry")
        == .temporary("sorry", backoff: .seconds(42), advance: .stay))
    #expect(failure("AUTH_FAILED,TEMP") == .temporary("", backoff: nil, advance: nil))
    #expect(failure("AUTH_FAILED,TEMP:later") == .temporary("later", backoff: nil, advance: nil))
    #expect(failure("AUTH_FAILED,TEMP[advance remote]") == .temporary("", backoff: nil, advance: .nextRemote))
    #expect(failure("AUTH_FAILED,TEMP[advance addr,x y z]") == .temporary("", backoff: nil, advance: .nextAddress))
    #expect(failure("AUTH_FAILED,TEMPER") == .refused("TEMPER"))
    #expect(failure("AUTH_FAILED,SESSION: token expired") == .sessionExpired("token expired"))
    #expect(failure("AUTH_FAILED,CRV1:R,E:state:dXNlcg==:Your code: now") == .challenge("Your code: now"))
    let noCipher = "Data channel cipher negotiation failed (no shared cipher)"
    #expect(failure("AUTH_FAILED,\(noCipher)") == .noSharedCipher(noCipher))
    #expect(failure("AUTH_FAILED,TEMP[backoff 99999999999]") == .temporary("", backoff: .seconds(86_400), advance: nil))
  }

  @Test("H-12 a refusal while a token is in use blames the token")
  func endings() {
    let refused = AuthFailure.refused("no")
    #expect(refused.ending(usedToken: false, wasUp: false).fault == Fault(.authFailed, "no"))
    #expect(refused.ending(usedToken: true, wasUp: true).fault?.code == .authTokenExpired)
    #expect(!refused.ending(usedToken: true, wasUp: true).keepsToken)
    let busy = AuthFailure.temporary("busy", backoff: .seconds(42), advance: .nextRemote).ending(
      usedToken: true, wasUp: false)
    #expect(busy == EndReport(fault: Fault(.authTemporary, "busy"), retryAfter: .seconds(42), advance: .nextRemote))
  }

  @Test("H-15 RESTART and HALT with their flags")
  func restart() {
    func wish(_ text: String) -> RestartWish? {
      switch ServerMessage(text) {
      case .restart(let wish), .halt(let wish): wish
      default: nil
      }
    }
    #expect(wish("RESTART")?.keepsToken == false)
    #expect(wish("RESTART,[P]:msg").map { $0.keepsToken && !$0.nextRemote && $0.reason == "msg" } == true)
    #expect(wish("RESTART,[N]:").map { $0.nextRemote && !$0.keepsToken && $0.reason.isEmpty } == true)
    #expect(wish("RESTART,[PN] bye").map { $0.nextRemote && $0.keepsToken && $0.reason == "bye" } == true)
    #expect(wish("HALT,reason")?.reason == "reason")
    #expect(wish("RESTART,[broken")?.reason == "[broken")
  }

  @Test("AUTH_PENDING, EXIT and strangers")
  func others() {
    #expect(ServerMessage("AUTH_PENDING") == .authPending(timeout: nil))
    #expect(ServerMessage("AUTH_PENDING,timeout 40,x") == .authPending(timeout: 40))
    #expect(ServerMessage("EXIT") == .exit)
    #expect(ServerMessage("INFO_PRE,OPEN_URL:https://a") == .info("OPEN_URL:https://a"))
    #expect(ServerMessage("PUSH_UPDATE,-route,?x") == .other("PUSH_UPDATE,-route,?x"))
    #expect(ServerMessage("PUSH_REPLYX") == .other("PUSH_REPLYX"))
    #expect(ServerMessage("") == .other(""))
  }
}
