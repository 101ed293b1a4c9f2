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
