import Base
import Crypto
import Exchange
import Session
import TestKit
import Testing

@Suite("How large packets may be")
struct SizeTests {
  private func measured(
    path: Int?, speaks: Bool = false, ceiling: Int = 1500, start: Int? = nil, for duration: Duration = .seconds(25),
    _ change: (inout MirrorSetup) -> Void = { _ in }, client: (inout SessionSetup) -> Void = { _ in }
  ) throws -> Conversation {
    let mirror = TestProfile.mirror(change)
    let talk = try Conversation(TestProfile.client(of: mirror, client), mirror)
    talk.pathMTU = path
    talk.speaksOfPath = speaks
    talk.start()
    #expect(talk.runUntilUp())
    talk.run(for: .seconds(1))
    talk.with { session, outbox in session.measure(ceiling: ceiling, start: start, at: talk.now, into: &outbox) }
    talk.run(for: duration)
    #expect(talk.ending == nil && talk.spins == 0)
    return talk
  }

  private func sizes(_ talk: Conversation) -> [Int] {
    talk.events.compactMap { if case .mtu(let size) = $0 { Int(size) } else { nil } }
  }

  /// Packets of the search that the server saw.
  private func probes(_ talk: Conversation) -> [Int] { talk.server.echoes.map(\.count).filter { $0 > 64 } }

  @Test("a path that takes all costs one packet, and one line says what passes")
  func wide() throws {
    let talk = try measured(path: nil, ceiling: 1420)
    #expect(sizes(talk) == [1420] && probes(talk) == [1420])
    let lines = talk.notes.filter { $0.code == .pathMTU }.map(\.sentence)
    #expect(lines == ["path 1472, tunnel 1420, MSS 1380"])
    // Nothing of it reaches the tun.
    #expect(talk.received.isEmpty)
  }

  @Test("the network's own word makes it two, and silence some more", arguments: [true, false])
  func narrow(speaks: Bool) throws {
    let talk = try measured(path: 1400, speaks: speaks)
    #expect(sizes(talk).last == 1348 && probes(talk).allSatisfy { $0 <= 1348 })
    #expect(sizes(talk).first == (speaks ? 1348 : 1280))
    #expect(probes(talk).count <= 6)
  }

  @Test("what is around a packet counts: cipher and format", arguments: [DataCipher.aes256GCM, .aes256CBC])
  func overheads(cipher: DataCipher) throws {
    let talk = try measured(
      path: 1400, speaks: true,
      {
        $0.cipher = cipher; $0.auth = .sha256
      })
    // 1400 - 20 - 8 - 4 - (4 + 16), or - (32 + 16) in whole blocks - 1 - 4.
    #expect(sizes(talk) == [cipher.isAEAD ? 1348 : 1307])
  }

  @Test("what passed the last time is tried first and is enough for now")
  func remembered() throws {
    let talk = try measured(path: 1400, start: 1348)
    #expect(sizes(talk) == [1348] && probes(talk) == [1348])
  }

  @Test("a gateway that answers nothing is asked a few times and left in peace; over TCP nothing is asked")
  func nothing() throws {
    let mute = try measured(
      path: nil, for: .seconds(500),
      {
        $0.answersEchoes = false
        $0.ping = .seconds(10)
      })
    #expect(sizes(mute).isEmpty && probes(mute).count <= 9)
    let stream = try measured(path: 1400, { $0.transport = .tcp })
    #expect(sizes(stream).isEmpty && probes(stream).isEmpty)
  }

  @Test("lies about the path while nothing is measured change nothing")
  func lies() throws {
    let talk = try measured(path: nil, ceiling: 1400)
    for mtu in [0, 1, 68, 500, 576, 700, 1399, 65_535] {
      talk.with { session, outbox in session.pathReported(mtu: mtu, at: talk.now, into: &outbox) }
      talk.run(for: .seconds(6))
    }
    #expect(sizes(talk) == [1400])
  }
}
