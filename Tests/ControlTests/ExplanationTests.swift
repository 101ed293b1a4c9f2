import Base
import Control
import Testing

@Suite("An explanation on the control socket") struct ExplanationTests {
  private var sample: Explanation {
    var answer = Explanation.Answer(
      family: .ipv6, destination: "example.org", transport: "udp", port: 53, way: .tunnel, reason: "policy tv")
    answer.source = "fd01::40"
    answer.mac = "02:00:00:00:00:40"
    answer.input = "br-lan"
    answer.tunnel = "home"
    answer.output = "tun-home"
    answer.gateway = "fe80::1"
    answer.diverted = "10.8.0.1:53"
    answer.refusal = "a TCP reset"
    answer.place = "gateway:17:3"
    answer.dns = "refused"
    answer.steps = ["rule", "route"]
    answer.remarks = ["x"]
    var explanation = Explanation(situation: "a daemon runs")
    explanation.answers = [answer]
    explanation.withTunnels = [
      Explanation.Answer(family: .ipv4, destination: "x", transport: "tcp", port: 1, way: .blocked, reason: "y")
    ]
    return explanation
  }

  @Test("it comes back as it was sent, known and unknown parts alike")
  func roundTrip() {
    #expect(Reply.read(Reply.explanation(sample).bytes.dropLast()) == .explanation(sample))
    let none = Reply.Refusal(.unknownDevice, "no")
    #expect(Reply.read(Reply.refused(none).bytes.dropLast()) == .refused(none))
  }

  @Test("an unclear question is refused, and half an explanation is none")
  func broken() {
    for text in [
      #"{"do":"explain"}"#, #"{"do":"explain","source":"x","port":70000}"#,
      #"{"do":"explain","source":"\#(String(repeating: "x", count: 300))"}"#,
    ] {
      #expect(throws: Reply.Refusal.self) { try Request.read(text.utf8).get() }
    }
    #expect(Reply.read(#"{"ok":true,"explanation":{"situation":"x","answers":[{}],"with_tunnels":[]}}"#.utf8) == nil)
  }
}
