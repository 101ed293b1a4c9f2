import Base
import Exchange
import Profile
import Session
import TestKit
import Testing

@Suite("The server's settings")
struct PushTests {
  private func items(_ talk: Conversation) -> [[String]] {
    talk.events.compactMap { if case .wantsNetwork(let items) = $0 { items } else { nil } }
  }

  private func talk(
    _ change: (inout MirrorSetup) -> Void = { _ in }, client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror, client), mirror)
    talk.start()
    return talk
  }

  @Test("P-01 parts are collected until the last, in order, and applied once")
  func continuation() throws {
    let talk = try talk {
      $0.pushParts = [
        ["route 10.1.0.0 255.255.0.0"], ["route 10.2.0.0 255.255.0.0"],
        ["topology subnet", "ifconfig 10.8.0.6 255.255.255.0"],
      ]
    }
    #expect(talk.runUntilUp())
    let all = items(talk)
    #expect(all.count == 1)
    #expect(
      try #require(all.first).prefix(4) == [
        "route 10.1.0.0 255.255.0.0", "route 10.2.0.0 255.255.0.0", "topology subnet",
        "ifconfig 10.8.0.6 255.255.255.0",
      ])
  }

  @Test("P-01 400 routes in many parts arrive whole")
  func manyRoutes() throws {
    let routes = (0..<400).map { "route 10.\($0 / 256 + 1).\($0 % 256).0 255.255.255.0" }
    let parts = stride(from: 0, to: routes.count, by: 20).map { Array(routes[$0..<$0 + 20]) }
    let talk = try talk { $0.pushParts = parts + [["ifconfig 10.8.0.6 255.255.255.0", "topology subnet"]] }
    #expect(talk.runUntilUp())
    #expect(Array(try #require(items(talk).first).prefix(400)) == routes)
  }

  @Test("P-21 the request is repeated until an answer comes")
  func repeats() throws {
    let talk = try talk {
      $0.pushesUnasked = false
      $0.ignoredRequests = 2
    }
    #expect(talk.runUntilUp())
    #expect(talk.server.texts.count { $0 == "PUSH_REQUEST" } == 3)
    talk.run(for: .seconds(30))
    #expect(talk.server.texts.count { $0 == "PUSH_REQUEST" } == 3)
  }

  @Test("P-21 a server that never answers is given up after the hand window")
  func never() throws {
    let talk = try talk {
      $0.pushesUnasked = false
      $0.ignoredRequests = 1000
    }
    let begin = talk.now
    talk.run(for: .seconds(200)) { talk.ending != nil }
    #expect(talk.ending?.fault?.code == .pushTimeout)
    #expect(talk.now - begin < .seconds(62))
    #expect((10...14).contains(talk.server.texts.count { $0 == "PUSH_REQUEST" }))
  }

  @Test("P-19 a late reply gives its token and nothing else; the next login uses it")
  func lateToken() throws {
    let talk = try talk {
      $0.user = "anna"
      $0.password = "secret"
      $0.token = "SESS_ID_AT_2"
      $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "topology subnet", "auth-token SESS_ID_AT_1"]]
    }
    #expect(talk.runUntilUp())
    let tokens = { talk.events.compactMap { if case .token(let token, _) = $0 { token } else { nil } } }
    #expect(tokens() == [SecretBytes(Array("SESS_ID_AT_1".utf8))])
    talk.server.say("PUSH_REPLY,auth-token SESS_ID_AT_2,ifconfig 1.2.3.4 255.0.0.0", at: talk.now)
    talk.run(for: .seconds(1))
    #expect(tokens().last == SecretBytes(Array("SESS_ID_AT_2".utf8)))
    #expect(items(talk).count == 1)
    talk.with { $0.renegotiate(at: talk.now, into: &$1) }
    talk.run(for: .seconds(5))
    #expect(talk.renegotiations == 1)
    #expect(talk.server.logins.map(\.password) == ["secret", "SESS_ID_AT_2"])
    #expect(talk.server.logins.map(\.user) == ["anna", "anna"])
  }

  @Test("P-19 a token of an earlier session stands in for the password")
  func earlierToken() throws {
    let talk = try talk {
      $0.user = "anna"
      $0.password = "secret"
      $0.token = "SESS_ID_AT_7"
    } client: {
      $0.token = SecretBytes(Array("SESS_ID_AT_7".utf8))
    }
    #expect(talk.runUntilUp())
    #expect(talk.server.logins.map(\.password) == ["SESS_ID_AT_7"])
  }

  @Test("H-12 a refused token ends with its own fault and is forgotten")
  func refusedToken() throws {
    let talk = try talk {
      $0.user = "anna"
      $0.password = "secret"
    } client: {
      $0.token = SecretBytes(Array("stale".utf8))
    }
    #expect(!talk.runUntilUp())
    #expect(talk.ending?.fault?.code == .authTokenExpired)
    #expect(talk.ending?.keepsToken == false)
  }

  @Test("H-12 a refused password is an authentication failure")
  func refusedPassword() throws {
    let talk = try talk {
      $0.user = "anna"
      $0.password = "secret"
    } client: {
      $0.profile.credentials = Credentials(user: "anna", password: SecretBytes([65]))
    }
    #expect(!talk.runUntilUp())
    #expect(talk.ending?.fault?.code == .authFailed)
    #expect(talk.ending?.wasUp == false)
  }

  @Test("AUTH_PENDING stretches the wait, and its end has a name of its own")
  func pending() throws {
    let talk = try talk {
      $0.pushesUnasked = false
      $0.ignoredRequests = 1000
    }
    talk.run(for: .seconds(1))
    let begin = talk.now
    talk.server.say("AUTH_PENDING,timeout 200", at: talk.now)
    talk.server.say("INFO_PRE,WEB_AUTH::https://x.example/a", at: talk.now)
    talk.run(for: .seconds(150))
    #expect(talk.ending == nil)
    #expect(talk.notes.contains(Note(.openURL, "https://x.example/a")))
    talk.run(for: .seconds(100)) { talk.ending != nil }
    #expect(talk.ending?.fault?.code == .authPendingTimeout)
    #expect(talk.now - begin < .seconds(202))
  }

  @Test("P-12 P-24 unknown words and messages never end the connection")
  func strangers() throws {
    let talk = try talk {
      $0.pushParts = [
        ["ifconfig 10.8.0.2 255.255.255.0", "topology subnet", "dhcp-renew", "block-outside-dns", "future-word 1 2"]
      ]
    }
    #expect(talk.runUntilUp())
    talk.server.say("PUSH_UPDATE,-route,?x", at: talk.now)
    talk.server.say("INFO,hello", at: talk.now)
    talk.server.say("NONSENSE,1,2", at: talk.now)
    talk.run(for: .seconds(2))
    #expect(talk.isUp)
    #expect(talk.notes.contains(Note(.serverMessage, "hello")))
    #expect(talk.notes.contains(Note(.textIgnored, "NONSENSE,1,2")))
  }

  @Test("A cipher that the profile does not allow is refused")
  func cipherRefused() throws {
    let talk = try talk {
      $0.cipher = .aes128CBC
    } client: {
      $0.profile.dataCiphers = [.aes256GCM]
    }
    #expect(!talk.runUntilUp())
    #expect(talk.ending?.fault == Fault(.cipherRefused, "AES-128-CBC"))
  }

  @Test("P-15 a pushed framing is used from the first packet, and a compressor needs leave")
  func compression() throws {
    for (word, framing) in [
      ("comp-lzo no", CompressionFraming.lzoStub), ("compress stub-v2", .stubV2), ("compress", .stub),
    ] {
      let talk = try talk {
        $0.compression = framing
        $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "topology subnet", word]]
      }
      #expect(talk.runUntilUp(), "\(word)")
      talk.run(for: .milliseconds(100))
      talk.send(InnerPacket.make(1))
      talk.server.send(InnerPacket.make(2), at: talk.now)
      talk.run(for: .seconds(1))
      #expect(talk.server.received.count == 1, "\(word)")
      #expect(talk.received.count == 1, "\(word)")
    }
    let refused = try talk { $0.pushParts = [["ifconfig 10.8.0.2 255.255.255.0", "compress lz4-v2"]] }
    #expect(!refused.runUntilUp())
    #expect(refused.ending?.fault?.code == .compressionRefused)
  }
}
