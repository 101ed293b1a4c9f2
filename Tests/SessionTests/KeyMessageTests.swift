import Base
import Session
import TestKit
import Testing

@Suite("Key-method 2")
struct KeyMessageTests {
  private func client(user: String = "", password: String? = nil) -> ClientKeyMessage {
    ClientKeyMessage(
      preMaster: SecretBytes((0..<48).map { UInt8($0) }), random1: SecretBytes(Array(repeating: 1, count: 32)),
      random2: SecretBytes(Array(repeating: 2, count: 32)), options: "V4,dev-type tun", user: user,
      password: password.map { SecretBytes(Array($0.utf8)) }, peerInfo: "IV_VER=2.6.0\n")
  }

  private func server(options: String = "V4,cipher AES-256-CBC", tail: [UInt8] = []) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0, 2] + Array(repeating: 3, count: 32) + Array(repeating: 4, count: 32)
    bytes.append(string: Array(options.utf8))
    return bytes + tail
  }

  @Test("What a client writes, a server reads; an empty string is 00 00")
  func roundTrip() throws {
    let bytes = try #require(client(user: "anna", password: "pässword").encoded())
    let read = try #require(ClientKey(bytes))
    #expect(read.user == "anna")
    #expect(read.password == "pässword")
    #expect(read.options == "V4,dev-type tun")
    #expect(read.peerInfo == "IV_VER=2.6.0\n")
    #expect(read.preMaster.count == 48)
    let empty = try #require(client().encoded())
    #expect(try #require(ClientKey(empty)).user == "")
    #expect(empty.count == 5 + 48 + 64 + 2 + 16 + 2 + 2 + 2 + 14)
  }

  @Test("A password that no server could read is refused, at the last byte")
  func tooLong() {
    #expect(client(user: "u", password: String(repeating: "p", count: 1800)).encoded() != nil)
    #expect(client(user: "u", password: String(repeating: "p", count: 2000)).encoded() == nil)
  }

  @Test(
    "The strings behind the server's options may be missing, one NUL, or bare",
    arguments: [[], [0, 0], [0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 1, 0, 0, 1, 0]] as [[UInt8]])
  func tails(_ tail: [UInt8]) throws {
    guard case .complete(let message, let rest) = ServerKeyMessage.read(server(tail: tail)) else {
      Issue.record("not complete")
      return
    }
    #expect(message.options == "V4,cipher AES-256-CBC")
    #expect(rest.isEmpty)
  }

  @Test("A text glued behind a missing tail is kept")
  func glued() {
    let text = Array("PUSH_REPLY,ping 10\0".utf8)
    guard case .complete(_, let rest) = ServerKeyMessage.read(server(tail: text)) else {
      Issue.record("not complete")
      return
    }
    #expect(ServerMessage.texts(in: rest) == ["PUSH_REPLY,ping 10"])
  }

  @Test("Any cut is partial, anything else is broken")
  func broken() {
    let whole = server()
    for count in 0..<whole.count {
      guard case .partial = ServerKeyMessage.read(Array(whole.prefix(count))) else {
        Issue.record("cut at \(count)")
        return
      }
    }
    for (index, value) in [(0, UInt8(1)), (3, 9), (4, 1), (4, 3)] {
      var bytes = whole
      bytes[index] = value
      guard case .broken = ServerKeyMessage.read(bytes) else {
        Issue.record("byte \(index)")
        return
      }
    }
    let endless: [UInt8] = Array(server().prefix(69)) + [0xff, 0xff] + Array(repeating: 65, count: 5000)
    guard case .broken = ServerKeyMessage.read(endless) else {
      Issue.record("endless options")
      return
    }
  }
}
