import Base
import Commands
import Control
import Foundation
import IO
import TestKit
import Testing

/// Answers one request with given bytes, on a thread of its own.
private final class Daemon: @unchecked Sendable {
  private let listener: ControlListener
  private let reply: [UInt8]
  private(set) var request: [UInt8]?
  private let isDone = DispatchSemaphore(value: 0)

  init(directory: String, reply: [UInt8]) throws {
    listener = try ControlListener(path: DaemonOptions(stateDirectory: directory).controlSocketPath, group: nil)
    self.reply = reply
    Thread.detachNewThread {
      try? self.answer()
      self.isDone.signal()
    }
  }

  private func answer() throws {
    var poller = try Poller()
    try poller.add(listener.descriptor, for: .readable, token: 0)
    let deadline = Clock.now + .seconds(10)
    _ = try poller.wait(until: deadline)
    guard let connection = listener.accept() else { return }
    request = try connection.nextLine(until: deadline)
    _ = try connection.sendAll(reply, until: deadline)
  }

  func wait() { isDone.wait() }
}

@Suite("The control socket") struct ControlClientTests {
  private func ask(_ request: Request, reply: [UInt8]) throws -> (Result<Reply, ControlClient.Failure>, [UInt8]?) {
    let scratch = try Scratch()
    let daemon = try Daemon(directory: scratch.path, reply: reply)
    let answer = ControlClient.ask(request, stateDirectory: scratch.path)
    daemon.wait()
    return (answer, daemon.request)
  }

  @Test("one line goes out, one comes back")
  func roundTrip() throws {
    let report = StatusReport(version: "0.1.0")
    let (answer, request) = try ask(.status(tunnel: "home"), reply: Reply.status(report).bytes)
    #expect(answer == .success(.status(report)))
    #expect(request.map { Array($0) + [10] } == Request.status(tunnel: "home").bytes)
  }

  @Test("a refusal, a foreign line and a hang-up are told apart")
  func failures() throws {
    let refusal = Reply.Refusal(.unknownTunnel, "there is no tunnel 'x'")
    #expect(try ask(.up(tunnel: "x"), reply: Reply.refused(refusal).bytes).0 == .success(.refused(refusal)))
    #expect(
      try ask(.up(tunnel: "x"), reply: Array("hello\n".utf8)).0
        == .failure(.broken("the daemon is of another version; restart it")))
    #expect(try ask(.up(tunnel: "x"), reply: []).0 == .failure(.broken("the daemon does not answer")))
  }
}
