import Base
import CLinux
import Glibc
import IO
import Testing

@Suite("TCP")
struct StreamTests {
  /// Something that listens on the loopback.
  private func listener() throws -> (descriptor: Int32, endpoint: Endpoint) {
    let local = Endpoint(address: BurstSocketTests.loopback, port: 0)
    let socket = try TransportSocket.make(.tcp, .ipv4, .init(local: local))
    #expect(listen(socket.raw, 4) == 0)
    let raw = dup(socket.raw)
    let endpoint = try TCPSocket(socket).localEndpoint
    return (raw, try #require(endpoint))
  }

  private func wait(for descriptor: Int32, _ readiness: Poller.Readiness) throws {
    var poller = try Poller()
    try poller.add(descriptor, for: readiness, token: 0)
    #expect(try poller.wait(until: Clock.now + .seconds(10)) == 1)
  }

  @Test("a connection is made without waiting, and a refusal is told")
  func connecting() throws {
    let (descriptor, endpoint) = try listener()
    let client = try TCPSocket(try TransportSocket.make(.tcp, .ipv4, .init()))
    let state = client.connect(to: endpoint)
    #expect(state == .connected || state == .underWay)
    try wait(for: client.descriptor, .writable)
    #expect(client.connectResult() == 0)
    close(descriptor)
    let second = try TCPSocket(try TransportSocket.make(.tcp, .ipv4, .init()))
    switch second.connect(to: endpoint) {
    case .connected: Issue.record("connected to nobody")
    case .failed(let number): #expect(number == ECONNREFUSED)
    case .underWay:
      try wait(for: second.descriptor, .writable)
      #expect(second.connectResult() == ECONNREFUSED)
    }
  }

  @Test("records of every size survive partial writes, in order, with control bytes only between them")
  func backPressure() throws {
    var ends: [Int32] = [0, 0]
    #expect(adit_stream_pair(&ends) == 0)
    var sender = try TCPSocket(FileDescriptor(owning: ends[0]))
    var receiver = try TCPSocket(FileDescriptor(owning: ends[1]))
    var out = Burst(capacity: 1 << 20, maximumCount: 256)
    var expected: [UInt8] = []
    for index in 0..<200 {
      let bytes = [UInt8](repeating: UInt8(index), count: 1 + index * 17)
      _ = out.append(copying: bytes)
      out[index].verdict = index % 7 == 3 ? .dropped : .forward
      if out[index].verdict == .forward { expected += bytes }
    }
    var got: [UInt8] = []
    var stream = StreamBuffer(capacity: 8 * 1024)
    func drain() {
      while case .some = receiver.fill(&stream) {
        let unread = stream.unread.count
        got += Array(stream.unread)
        #expect(stream.take(at: 0, length: unread) == true)
        stream.compact()
      }
    }
    var cursor = FlushCursor()
    var fulls = 0
    while true {
      let flushed = sender.flush(out, from: &cursor)
      if flushed == .done { break }
      #expect(flushed == .full)
      fulls += 1
      if fulls == 1 {
        // The stream pair's buffer is full in the middle of a record.
        drain()
        let wasInside = cursor.isInsidePacket
        #expect(sender.flushStarted(out, from: &cursor) == .done)
        #expect(!cursor.isInsidePacket)
        if wasInside { drain() }
      } else {
        drain()
      }
    }
    drain()
    #expect(fulls > 0)
    #expect(got == expected)
  }

  @Test("what is not yet a whole record waits for its rest")
  func remainder() throws {
    var ends: [Int32] = [0, 0]
    #expect(adit_stream_pair(&ends) == 0)
    let sender = try TCPSocket(FileDescriptor(owning: ends[0]))
    var receiver = try TCPSocket(FileDescriptor(owning: ends[1]))
    var stream = StreamBuffer(capacity: 4096)
    var offset = 0
    #expect(sender.send([0, 2, 7, 8, 0, 3, 1], from: &offset) == .done)
    let filled7 = receiver.fill(&stream)
    #expect(filled7 == .some(7))
    #expect(stream.take(at: 2, length: 2) == true)
    #expect(stream.burst.copy(0) == [7, 8])
    stream.coverUnread()
    let claimed = stream.burst.claim(room: 8)
    #expect(claimed == Burst.headroom + 7)
    stream.compact()
    #expect(stream.burst.isEmpty == true)
    offset = 0
    #expect(sender.send([2, 3], from: &offset) == .done)
    let filled2 = receiver.fill(&stream)
    #expect(filled2 == .some(2))
    #expect(Array(stream.unread) == [0, 3, 1, 2, 3])
    #expect(stream.take(at: 2, length: 3) == true)
    #expect(stream.burst.copy(0) == [1, 2, 3])
  }

  @Test("the other side's end is told")
  func end() throws {
    var ends: [Int32] = [0, 0]
    #expect(adit_stream_pair(&ends) == 0)
    var socket = try TCPSocket(FileDescriptor(owning: ends[0]))
    var stream = StreamBuffer(capacity: 4096)
    let before = socket.fill(&stream)
    #expect(before == .nothing)
    close(ends[1])
    let after = socket.fill(&stream)
    #expect(after == .ended)
  }
}
