import Testing

@testable import Daemon

@Suite struct TokenTests {
  @Test("a token survives the poller", arguments: [0, 1, 0xff_ffff, 0x100_0001] as [UInt32])
  func roundTrip(generation: UInt32) {
    let token = Token(.engine, 0x7f, generation: generation)
    #expect(Token(token.value) == token)
    #expect(Token(0) == nil)
  }
}
