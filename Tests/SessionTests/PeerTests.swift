import Base
import Crypto
import Exchange
import Profile
import Session
import TestKit
import Testing
import Wire

@Suite("Servers of other makers, and servers that do not fit")
struct PeerTests {
  private func talk(
    _ change: (inout MirrorSetup) -> Void = { _ in }, client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror, client), mirror)
    talk.start()
    return talk
  }

  @Test("P-03 P-04 SoftEther: no negotiation, DATA_V1, no tail, no NUL, sends on new keys at once")
  func softEther() throws {
    let talk = try talk {
      $0.wantsCertificate = false
      $0.user = "user@HUB"
      $0.password = "p"
      $0.cipher = .aes256GCM
      $0.pushesCipher = false
      $0.exportsKeys = false
      $0.controlChannelExit = false
      $0.peerID = nil
      $0.sendsTail = false
      $0.endsWithNUL = false
      $0.pushesUnasked = false
      $0.holdOff = .zero
      $0.options = "V4,dev-type tun,link-mtu 1500,tun-mtu 1500,proto UDPv4,cipher AES-256-GCM,auth SHA1,keysize 256"
      $0.pushParts = [
        [
          "ping 3", "ping-restart 10", "ifconfig 192.168.30.29 192.168.30.30", "dhcp-option DNS 192.0.2.53",
          "route-gateway 192.168.30.30", "redirect-gateway def1",
        ]
      ]
    }
    #expect(talk.runUntilUp())
    #expect(talk.server.clientKey?.options.contains("cipher AES-256-GCM") == true)
    talk.send(InnerPacket.make(1))
    #expect(talk.sent.last?.first == 0x30)
    talk.server.softReset(at: talk.now)
    talk.run(for: .seconds(2))
    talk.server.send(InnerPacket.make(2), at: talk.now)
    talk.run(for: .seconds(1))
    #expect(talk.received == [InnerPacket.make(2)])
    // Every packet that is not an acknowledgement carries four at most (H-10), and none is a V2 or V3 form.
    #expect(talk.server.opened.allSatisfy { $0.acknowledgements.count <= 4 })
    #expect(talk.server.opened.allSatisfy { [3, 4, 5, 7].contains($0.opcode.rawValue) })
  }

  @Test("H-09 MikroTik: TCP, CBC with SHA1, no cipher pushed, the profile's is used")
  func mikroTik() throws {
    for options in ["", "V4,dev-type tun,cipher AES-256-CBC,auth SHA1"] {
      let talk = try talk {
        $0.transport = .tcp
        $0.cipher = .aes256CBC
        $0.auth = .sha1
        $0.user = "u"
        $0.password = "p"
        $0.pushesCipher = false
        $0.exportsKeys = false
        $0.controlChannelExit = false
        $0.peerID = nil
        $0.options = options
        $0.pushParts = [
          [
            "ping 20", "ping-restart 60", "topology subnet", "route-gateway 172.18.0.1",
            "ifconfig 172.18.0.5 255.255.255.0",
          ]
        ]
      } client: {
        $0.profile.dataCiphers = [.aes256GCM, .aes128GCM]
        $0.profile.cipher = .aes256CBC
      }
      #expect(talk.runUntilUp())
      talk.send(InnerPacket.make(1))
      talk.run(for: .seconds(1))
      #expect(talk.server.received == [InnerPacket.make(1)])
    }
  }

  @Test("A server that negotiates nothing and shares no cipher is refused by name")
  func noCipher() throws {
    let talk = try talk {
      $0.pushesCipher = false
      $0.options = "V4,cipher BF-CBC"
    }
    #expect(!talk.runUntilUp())
    #expect(talk.ending?.fault == Fault(.cipherRefused, "BF-CBC"))
  }

  @Test("data-ciphers-fallback serves a server that does not negotiate")
  func fallback() throws {
    let talk = try talk {
      $0.cipher = .aes128CBC
      $0.pushesCipher = false
      $0.options = "V4"
    } client: {
      $0.profile.dataCiphers = [.aes256GCM]
      $0.profile.dataCipherFallback = .aes128CBC
    }
    #expect(talk.runUntilUp())
  }

  @Test("H-10 control packets stay within max-packet-size", arguments: Wrapping.allCases)
  func sizes(_ wrapping: Wrapping) throws {
    for largest in [1250, 800, 500] {
      let talk = try talk {
        $0.wrap = wrapping.wrap
      } client: {
        $0.remote.maximumControlPacket = largest
      }
      #expect(talk.runUntilUp())
      let sizes = talk.sent.map { $0.count + 28 }
      #expect(sizes.allSatisfy { $0 <= largest }, "\(wrapping) \(largest) \(sizes.max() ?? 0)")
    }
  }

  @Test("H-01 a reset repeated in the handshake is acknowledged and changes nothing")
  func repeatedReset() throws {
    let talk = try talk()
    talk.run(for: .seconds(30)) { talk.events.contains { if case .tlsEstablished = $0 { true } else { false } } }
    let before = talk.sent.count
    talk.receive(try #require(talk.resets.first))
    #expect(talk.sent.count > before)
    #expect(talk.runUntilUp())
    #expect(talk.events.count { $0 == .serverAnswered } == 1)
  }

  @Test("H-01 an authenticated reset of another session means that the server restarted")
  func restarted() throws {
    for (wrapping, ends) in [(Wrapping.none, false), (.tlsCrypt, true), (.tlsAuth, true)] {
      let talk = try talk { $0.wrap = wrapping.wrap }
      #expect(talk.runUntilUp())
      talk.run(for: .seconds(5))
      // An answer to our own first packet may still be under way.
      talk.server.restart(at: talk.now)
      talk.run(for: .seconds(5))
      #expect(talk.ending == nil)
      talk.run(for: .seconds(90))
      talk.server.restart(at: talk.now)
      talk.run(for: .seconds(5))
      #expect((talk.ending?.fault?.code == .serverRestart) == ends, "\(wrapping)")
    }
  }

  @Test("A wrong key of the wrap has a name of its own")
  func wrongWrap() throws {
    let other = try #require(StaticKey(bytes: SecretBytes((0...255).map { UInt8(255 - $0) })))
    for transport in Transport.allCases {
      // The server drops what it cannot open; here it answers with its own key, as a mixed-up relay would.
      let mirror = TestProfile.mirror {
        $0.wrap = .tlsCrypt(other)
        $0.transport = transport
      }
      let setup = TestProfile.client(of: mirror) {
        $0.remote.wrap = .tlsCrypt(key: TestProfile.text(of: TestProfile.staticKey))
      }
      let talk = try Conversation(setup, mirror)
      talk.start()
      talk.run(for: .milliseconds(100))
      #expect(talk.server.rejected.contains(.badTag))
      #expect(talk.server.packets.isEmpty)
      var bytes = [UInt8](repeating: 7, count: 60)
      bytes[0] = 0x40
      talk.receive(bytes)
      talk.run(for: .seconds(100)) { talk.ending != nil }
      #expect(talk.ending?.fault?.code == .wrapRejected)
    }
  }

  @Test("Silence and a closed connection may mean a wrong key, and say so; without a key they keep their names")
  func silentOverWrap() throws {
    for wrapping in Wrapping.allCases {
      let mirror = TestProfile.mirror {
        $0.wrap = wrapping.wrap
        $0.isDeaf = true
      }
      let silent = try Conversation(TestProfile.client(of: mirror), mirror)
      silent.start()
      silent.run(for: .seconds(200)) { silent.ending != nil }
      #expect(silent.ending?.fault?.code == (wrapping == .none ? .serverSilent : .serverSilentOrWrongKey))

      var stream = mirror
      stream.transport = .tcp
      stream.isDeaf = false
      for answers in [false, true] {
        let talk = try Conversation(TestProfile.client(of: stream), stream)
        talk.wire.isCut = !answers
        talk.start()
        if answers { talk.run(for: .seconds(5)) { talk.events.contains(.serverAnswered) } }
        talk.with { $0.transportFailed(Fault(.tcpClosed), at: talk.now, into: &$1) }
        #expect(talk.ending?.fault?.code == (answers || wrapping == .none ? .tcpClosed : .serverSilentOrWrongKey))
      }
    }
  }

  @Test("Faults of TLS keep their names")
  func tlsFaults() throws {
    let stranger = TestCertificate.authority(.authority("Another CA"))
    let untrusted = try talk(client: { $0.profile.tls.authorities = [stranger.pem] })
    #expect(!untrusted.runUntilUp())
    #expect(untrusted.ending?.fault?.code == .tlsCertificateUntrusted)
    let early = try talk(client: { $0.wallTime = WallTime(seconds: 86_400) })
    #expect(!early.runUntilUp())
    #expect(early.ending?.fault?.code == .tlsCertificateNotYetValid)
    let named = try talk(client: { $0.profile.tls.checks.x509Name = "CN=other" })
    #expect(!named.runUntilUp())
    #expect(named.ending?.fault?.code == .tlsCertificateWrongName)
  }

  @Test("Settings that cannot work fail before the first packet")
  func impossible() {
    let mirror = TestProfile.mirror()
    func fault(_ change: (inout SessionSetup) -> Void) -> Fault.Code? {
      do throws(Fault) {
        _ = try Session(TestProfile.client(of: mirror, change), random: .seeded(1))
        return nil
      } catch { return error.code }
    }
    #expect(fault { $0.profile.wantsCredentials = true } == .credentialsMissing)
    #expect(fault { $0.remote.wrap = .tlsCrypt(key: SecretBytes([1])) } == .wrapKeyInvalid)
    #expect(fault { $0.profile.tls.authorities = [SecretBytes([1])] } == .certificateUnreadable)
    #expect(fault { _ in } == nil)
  }

  @Test("H-18 a profile that does not say who the server is gets a loud warning")
  func noCheck() throws {
    let talk = try talk(client: { $0.profile.tls.checks = ServerChecks() })
    #expect(talk.runUntilUp())
    #expect(talk.notes.contains(Note(.noServerCheck)))
  }
}
