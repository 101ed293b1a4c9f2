import Base
import Commands
import Testing

@Suite("adit explain in words") struct ExplainTextTests {
  @Test("each way in one line with its reason and its place, what is beside it below")
  func ways() {
    var through = Explanation.Answer(
      family: .ipv4, destination: "example.org", transport: "udp", port: 53, way: .tunnel, reason: "policy tv")
    through.source = "192.168.1.40"
    through.mac = "02:00:00:00:00:40"
    through.input = "br-lan"
    through.tunnel = "home"
    through.output = "tun-home"
    through.diverted = "10.8.0.1:53"
    through.place = "gateway:17:3"
    through.remarks = ["one remark"]
    through.steps = ["rule v4 860: iif br-lan lookup 44001"]
    var blocked = Explanation.Answer(
      family: .ipv6, destination: "anything on the internet", transport: "tcp", port: 443, way: .blocked,
      reason: "no\u{1B}")
    blocked.refusal = "a TCP reset"
    var explanation = Explanation(situation: "a daemon runs")
    explanation.answers = [through, blocked]
    #expect(
      ExplainText.render(explanation) == """
        a daemon runs

        IPv4 from 192.168.1.40 on br-lan (02:00:00:00:00:40) to example.org, UDP port 53:
          tunnel home (tun-home): policy tv (gateway:17:3)
          it is sent to 10.8.0.1:53 instead
          one remark

        IPv6 from the router itself to anything on the internet, TCP port 443:
          blocked, and answered with a TCP reset: no?

        """)
    #expect(ExplainText.render(explanation, isLong: true).contains("\n    rule v4 860: iif br-lan lookup 44001\n"))
    explanation.withTunnels = [through]
    #expect(ExplainText.render(explanation).contains("with a daemon and every tunnel up:\n\nIPv4 from 192.168.1.40"))
  }
}
