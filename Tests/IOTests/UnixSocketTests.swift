import Base
import Glibc
import IO
import Testing

@Suite("Message sockets")
struct MessageSocketTests {
  @Test("messages keep their boundaries, order and descriptors")
  func messages() throws {
    let pair = try MessageSocket.pair()
    let ours = MessageSocket(FileDescriptor(owning: dup(pair.ours.raw)))
    let theirs = MessageSocket(FileDescriptor(owning: dup(pair.theirs.raw)))
    let nothing = try theirs.receive() == nil
    #expect(nothing)
    var pipe: [Int32] = [0, 0]
    #expect(Glibc.pipe(&pipe) == 0)
    #expect(ours.send([1, 2], descriptors: pipe) == .sent)
    #expect(ours.send(Array(repeating: 9, count: MessageSocket.largestMessage)) == .sent)
    for end in pipe { close(end) }

    guard var first = try theirs.receive() else {
      Issue.record("no message")
      return
    }
    #expect(first.bytes == [1, 2])
    #expect(first.descriptorCount == 2)
    guard let reading = first.takeDescriptor(), let writing = first.takeDescriptor() else {
      Issue.record("no descriptors")
      return
    }
    #expect(write(writing.raw, "!", 1) == 1)
    var byte: UInt8 = 0
    #expect(read(reading.raw, &byte, 1) == 1)
    #expect(fcntl(reading.raw, F_GETFD) == FD_CLOEXEC)
    #expect(try theirs.receive()?.bytes.count == MessageSocket.largestMessage)
  }

  @Test("an oversized message is a failure and its descriptors are closed")
  func oversized() throws {
    let pair = try MessageSocket.pair()
    let theirs = MessageSocket(FileDescriptor(owning: dup(pair.theirs.raw)))
    let large = [UInt8](repeating: 0, count: MessageSocket.largestMessage + 1)
    #expect(write(pair.ours.raw, large, large.count) == large.count)
    var failure: SystemFailure?
    do { _ = try theirs.receive() } catch { failure = error }
    #expect(failure == SystemFailure("recvmsg", EMSGSIZE))
  }

  @Test("the end of the other side is an empty message, and sending to it fails")
  func end() throws {
    var socket: Int32 = -1
    do {
      let pair = try MessageSocket.pair()
      socket = dup(pair.theirs.raw)
    }
    let alone = MessageSocket(FileDescriptor(owning: socket))
    #expect(try alone.receive()?.isEnd == true)
    #expect(alone.send([1]) == .failed(SystemFailure("sendmsg", EPIPE)))
  }

  @Test("a reader that sleeps is a would-block, not a wait")
  func full() throws {
    let pair = try MessageSocket.pair()
    let ours = MessageSocket(FileDescriptor(owning: dup(pair.ours.raw)))
    var sent = ours.send([UInt8](repeating: 0, count: 8000))
    var count = 0
    while sent == .sent, count < 10_000 {
      sent = ours.send([UInt8](repeating: 0, count: 8000))
      count += 1
    }
    #expect(sent == .wouldBlock)
  }
}

@Suite("Control socket")
struct ControlSocketTests {
  private let soon = Clock.now + .seconds(10)

  @Test("lines go both ways, split as they may be")
  func lines() throws {
    let scratch = try Scratch()
    let listener = try ControlListener(path: scratch.path + "/control.sock", group: nil)
    #expect(TextFile.status(scratch.path + "/control.sock")?.mode == 0o600)
    #expect(listener.accept() == nil)
    let client = try ControlConnection(path: scratch.path + "/control.sock")
    let accepted = listener.accept()
    let server = try #require(accepted)
    #expect(server.peer?.user == geteuid())
    #expect(server.peer?.process == getpid())
    client.send(Array("status\nup ho".utf8))
    #expect(try server.nextLine(until: soon) == Array("status".utf8))
    #expect(server.nextLine() == nil)
    client.send(Array("me\n".utf8))
    #expect(try server.nextLine(until: soon) == Array("up home".utf8))
    let large = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)
    server.send(large + Array("\n".utf8))
    #expect(try client.nextLine(until: soon) == large)
  }

  @Test("a client that goes away is seen after its last line")
  func closing() throws {
    let scratch = try Scratch()
    let listener = try ControlListener(path: scratch.path + "/c", group: getegid())
    #expect(TextFile.status(scratch.path + "/c")?.mode == 0o660)
    do {
      let client = try ControlConnection(path: scratch.path + "/c")
      client.send(Array("bye\nhalf".utf8))
    }
    let accepted = listener.accept()
    let server = try #require(accepted)
    server.fill()
    #expect(server.nextLine() == Array("bye".utf8))
    #expect(server.nextLine() == nil)
    #expect(server.state == .closed)
  }

  @Test("a line without end breaks the connection at its limit")
  func longLine() throws {
    let scratch = try Scratch()
    let listener = try ControlListener(path: scratch.path + "/c", group: nil)
    let client = try ControlConnection(path: scratch.path + "/c")
    let accepted = listener.accept()
    let server = try #require(accepted)
    client.send([UInt8](repeating: 65, count: 2 * ControlConnection.longestLine))
    while server.state == .open, Clock.now < soon {
      server.fill()
      client.flush()
    }
    #expect(server.state == .broken)
  }

  @Test("an answer may be far longer than a request: the status of every tunnel there can be")
  func longAnswer() throws {
    let scratch = try Scratch()
    let listener = try ControlListener(path: scratch.path + "/c", group: nil)
    let client = try ControlConnection(path: scratch.path + "/c")
    let accepted = listener.accept()
    let server = try #require(accepted)
    let answer = [UInt8](repeating: UInt8(ascii: "x"), count: 127 * 8 * 1024)
    server.send(answer + Array("\n".utf8))
    var line: [UInt8]?
    while line == nil, client.state == .open, Clock.now < soon {
      server.flush()
      client.fill()
      line = client.nextLine()
    }
    #expect(line == answer)
  }

  @Test("a stale socket file is replaced, a living daemon's is not")
  func stale() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/c"
    do {
      let first = try ControlListener(path: path, group: nil)
      #expect(throws: SystemFailure("listen on \(path)", EADDRINUSE)) {
        _ = try ControlListener(path: path, group: nil)
      }
      _ = first.descriptor
      // A crash leaves the file behind.
      #expect(try IOShell.run("python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"\(path)2\")'") == 0)
    }
    #expect(TextFile.status(path) == nil)
    #expect(TextFile.status(path + "2")?.isSocket == true)
    let second = try ControlListener(path: path + "2", group: nil)
    _ = try ControlConnection(path: path + "2")
    #expect(second.accept() != nil)
  }
}

@Suite("Message channels")
struct MessageChannelTests {
  @Test("messages wait for a slow reader and arrive in order, with bodies and descriptors")
  func queueing() throws {
    let pair = try MessageSocket.pair()
    let ours = MessageChannel(FileDescriptor(owning: dup(pair.ours.raw)))
    let theirs = MessageChannel(FileDescriptor(owning: dup(pair.theirs.raw)))
    let body = SecretBytes([UInt8](repeating: 7, count: 100_000))
    for index in 0..<100 {
      let sent =
        index % 10 == 0
        ? ours.send([UInt8](repeating: UInt8(index), count: 9000), attachment: body, descriptors: [dup(2)])
        : ours.send([UInt8](repeating: UInt8(index), count: 9000))
      #expect(sent)
    }
    #expect(ours.hasQueued)
    for index in 0..<100 {
      ours.flush()
      guard var message = try theirs.receive() else {
        Issue.record("message \(index) is missing")
        return
      }
      #expect(message.bytes.first == UInt8(index))
      if index % 10 == 0 {
        #expect(try message.takeAttachment(length: 100_000) == body)
        #expect(message.descriptorCount == 1)
      } else {
        #expect(message.descriptorCount == 0)
      }
    }
    #expect(!ours.hasQueued)
    #expect(!ours.isBroken)
  }

  @Test("a body of another length than promised, or none at all, breaks the channel")
  func promises() throws {
    let pair = try MessageSocket.pair()
    let ours = MessageChannel(FileDescriptor(owning: dup(pair.ours.raw)))
    let theirs = MessageChannel(FileDescriptor(owning: dup(pair.theirs.raw)))
    ours.send([1], attachment: SecretBytes([1, 2, 3]))
    ours.send([2])
    var failures = 0
    for _ in 0..<2 {
      if var message = try theirs.receive() {
        do { _ = try message.takeAttachment(length: 4) } catch { failures += 1 }
      }
    }
    #expect(failures == 2)
  }

  @Test("the other side's end is told, and sending then fails")
  func end() throws {
    var socket: Int32 = -1
    do {
      let pair = try MessageSocket.pair()
      socket = dup(pair.theirs.raw)
    }
    let alone = MessageChannel(FileDescriptor(owning: socket))
    var failure: MessageChannel.Failure?
    do { _ = try alone.receive() } catch { failure = error }
    #expect(failure == .ended)
    #expect(alone.send([1]) == false)
    #expect(alone.isBroken)
  }

  @Test("a reader that has stopped breaks the channel at the limit instead of filling memory")
  func limit() throws {
    let pair = try MessageSocket.pair()
    let ours = MessageChannel(FileDescriptor(owning: dup(pair.ours.raw)))
    var count = 0
    while ours.send([UInt8](repeating: 0, count: 4000)), count < 5000 { count += 1 }
    #expect(ours.isBroken)
    #expect(count >= MessageChannel.mostQueued)
  }
}
