import Base
import Commands
import Control
import Foundation
import TestKit
import Testing

@Suite("adit check") struct CheckTests {
  private func check(_ scratch: Scratch, at now: Int64 = Sample.now, profiles: [String] = []) -> CheckReport {
    var request = CheckRequest()
    request.configPath = scratch.path
    request.profiles = profiles
    return CheckCommand.report(request, now: WallTime(seconds: now))
  }

  private func text(_ scratch: Scratch, _ report: CheckReport) -> String {
    CheckText.render(report).replacingOccurrences(of: scratch.path + "/", with: "")
  }

  @Test("the whole output for a good configuration")
  func good() throws {
    let scratch = try Scratch()
    try scratch.write("home.ovpn", Sample.profile())
    try scratch.write(
      "gateway",
      """
      config tunnel 'home'
        option profile 'home.ovpn'
      config gateway 'lan'
        list tunnel 'home'
        list lan 'br-lan'
        option kill_switch 'session'
      """)
    #expect(
      text(scratch, check(scratch)) == """
        tunnel home: ready
          profile       home.ovpn
          device        tun-home
          servers       vpn.example.net port 1194 over udp
                        203.0.113.9 port 443 over tcp4
          login         certificate, by itself
          server check  key usage, extended key usage TLS Web Server Authentication
          control       none
          ciphers       AES-256-GCM AES-128-GCM CHACHA20-POLY1305
          TLS           1.2 or newer
          certificate   CN=Example CA, EC 256 bits, valid from 2026-11-30T04:05:44Z until 2056-11-22T04:05:44Z
          authority     CN=Example CA, EC 256 bits, valid from 2026-11-30T04:05:44Z until 2056-11-22T04:05:44Z

        gateway lan: ready
          LAN           br-lan
          through       home
          scope         the LAN
          kill switch   session

        no problems

        """)
  }

  @Test("the whole output for a bad one: every problem at once, where it stands")
  func bad() throws {
    let scratch = try Scratch()
    try scratch.write("home.ovpn", Sample.profile("auth SHA257\nciper AES-256-GCM\n"))
    try scratch.write(
      "gateway",
      """
      config tunnel 'home'
        option profile 'home.ovpn'
        option enabld '1'
      config gateway 'lan'
        list tunnel 'hom'
        list lan 'br-lan'
        option kill_switch 'On'
      """)
    let report = check(scratch)
    #expect(report.hasErrors)
    #expect(
      text(scratch, report) == """
        gateway:3:10: error: tunnel has no key `enabld`; did you mean `enabled`?
        gateway:5:15: error: there is no tunnel 'hom'; did you mean 'home'?
        gateway:7:22: error: `kill_switch` must be one of always, session, off; it counts as `always`, the protection is on
        home.ovpn:39:6: error: `auth`: unknown digest `SHA257`; did you mean SHA256?
        home.ovpn:40:1: error: unknown option `ciper`; did you mean `cipher`?

        tunnel home: has errors and will not start
          profile       home.ovpn
          device        tun-home

        gateway lan: has errors: its LAN stays closed
          LAN           br-lan
          through       hom
          scope         the LAN
          kill switch   always

        5 errors

        """)
  }

  @Test("certificates are looked into: dates, and whether the key fits")
  func certificates() throws {
    let scratch = try Scratch()
    let path = try scratch.write("x.ovpn", Sample.profile())
    let future = check(scratch, at: 2_750_000_000, profiles: [path])
    #expect(
      future.diagnostics.filter { $0.severity == .warning }.map(\.text) == [
        "the certificate has expired on 2056-11-22T04:05:44Z",
        "the authority CN=Example CA has expired on 2056-11-22T04:05:44Z",
      ])
    let past = check(scratch, at: 1_000_000_000, profiles: [path])
    #expect(past.diagnostics.contains { $0.text.contains("is valid only from 2026-11-30T04:05:44Z") })
    try scratch.write("x.ovpn", Sample.profile().replacingOccurrences(of: "MIGHAgEAMBMG", with: "XXXXAgEAMBMG"))
    #expect(check(scratch, profiles: [path]).hasErrors)
  }

  @Test("U-07: a damaged tls-crypt key is named, not a timeout later")
  func wrapKey() throws {
    let scratch = try Scratch()
    let key = "-----BEGIN OpenVPN Static key V1-----\nabcd\n-----END OpenVPN Static key V1-----\n"
    let path = try scratch.write("x.ovpn", Sample.profile("<tls-crypt>\n\(key)</tls-crypt>\n"))
    #expect(check(scratch, profiles: [path]).diagnostics.contains { $0.text.hasPrefix("tls-crypt key: ") })
  }

  @Test("as JSON, with the same facts")
  func json() throws {
    let scratch = try Scratch()
    let path = try scratch.write("x.ovpn", Sample.profile())
    let json = check(scratch, profiles: [path]).json
    let tunnel = try #require(json["tunnels"]?.elements?.first)
    #expect(tunnel["valid"] == .bool(true) && tunnel["autologin"] == .bool(true))
    #expect(tunnel["remotes"]?.elements?.count == 2)
    #expect(tunnel["certificate"]?["not_after"]?.text == "2056-11-22T04:05:44Z")
    #expect(try JSONReader.value(of: json.line.utf8) == json)
  }

  @Test("S-10: no output holds a credential or a key")
  func secrets() throws {
    let scratch = try Scratch()
    let path = try scratch.write(
      "x.ovpn", Sample.profile("<auth-user-pass>\nuser-name\nTop-Secret\n</auth-user-pass>\n"))
    let report = check(scratch, profiles: [path])
    for text in [CheckText.render(report), report.json.line, "\(report)"] {
      #expect(!text.contains("Top-Secret") && !text.contains("MIGHAgEA"))
    }
  }

  @Test("every option of the table is listed with its class")
  func options() {
    #expect(OptionListing.text.contains("  remote host [port] [proto]"))
    let classes = Set(OptionListing.json.elements?.compactMap { $0["class"]?.text } ?? [])
    #expect(classes == ["honoured", "honoured differently", "harmless", "refused"])
  }
}
