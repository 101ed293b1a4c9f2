import Base
import Exchange
import Session
import TestKit
import Testing

/// What a test varies about a server.
enum Wrapping: String, CaseIterable, CustomTestStringConvertible {
  case none, tlsAuth, tlsCrypt, tlsCryptV2, tlsCryptV2Resend

  var testDescription: String { rawValue }

  var wrap: MirrorSetup.Wrap {
    switch self {
    case .none: .none
    case .tlsAuth: .tlsAuth(TestProfile.staticKey, .sha256)
    case .tlsCrypt: .tlsCrypt(TestProfile.staticKey)
    case .tlsCryptV2: .tlsCryptV2(TestProfile.serverKey, resend: false)
    case .tlsCryptV2Resend: .tlsCryptV2(TestProfile.serverKey, resend: true)
    }
  }
}

@Suite("A session comes up")
struct HandshakeTests {
  @Test("With every wrap and cipher, over datagrams and over a stream", arguments: Wrapping.allCases)
  func matrix(_ wrapping: Wrapping) throws {
    for transport in Transport.allCases {
      for cipher in DataCipher.allCases {
        for exports in [true, false] {
          let mirror = TestProfile.mirror {
            $0.wrap = wrapping.wrap
            $0.transport = transport
            $0.cipher = cipher
            $0.exportsKeys = exports
            $0.auth = .sha256
          }
          let talk = try Conversation(TestProfile.client(of: mirror), mirror)
          talk.start()
          #expect(talk.runUntilUp(), "\(transport) \(cipher) \(String(describing: talk.ending?.fault))")
          talk.send(InnerPacket.make(1))
          talk.run(for: .milliseconds(100))
          talk.server.send(InnerPacket.make(2), at: talk.now)
          talk.run(for: .seconds(1))
          #expect(talk.server.received == [InnerPacket.make(1)], "\(transport) \(cipher)")
          #expect(talk.received == [InnerPacket.make(2)], "\(transport) \(cipher)")
          #expect(talk.spins == 0)
        }
      }
    }
  }
}
