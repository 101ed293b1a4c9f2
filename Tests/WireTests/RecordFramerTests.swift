import Testing
import Wire

@Suite("TCP records")
struct RecordFramerTests {
  private func next(_ bytes: [UInt8], at offset: Int = 0, largest: Int = 65_535) -> RecordFramer.Record {
    bytes.withUnsafeBytes { RecordFramer.next(in: $0, at: offset, largest: largest) }
  }

  @Test("a record cut anywhere is partial")
  func cuts() {
    let stream: [UInt8] = [0, 3, 7, 8, 9]
    for length in 0..<5 { #expect(next(Array(stream.prefix(length))) == .partial) }
    #expect(next(stream) == .complete(offset: 2, length: 3))
  }

  @Test("several records lie in one buffer")
  func several() {
    let stream: [UInt8] = [0, 1, 7, 0, 2, 8, 9, 0]
    #expect(next(stream) == .complete(offset: 2, length: 1))
    #expect(next(stream, at: 3) == .complete(offset: 5, length: 2))
    #expect(next(stream, at: 7) == .partial)
    #expect(next(stream, at: 8) == .partial)
  }

  @Test("a length of nothing or of too much breaks the stream at once")
  func broken() {
    #expect(next([0, 0, 1]) == .broken)
    #expect(next([0x10, 1], largest: 0x1000) == .broken)
    #expect(next([0x10, 0], largest: 0x1000) == .partial)
  }
}
