import Base
import Glibc
import IO
import Testing

@Suite("Child processes")
struct ChildProcessTests {
  private func shell(_ script: String) -> ChildProcess.Request { ChildProcess.Request("/bin/sh", ["-c", script]) }

  @Test("input goes in, both outputs come back, and the exit code is told")
  func roundTrip() throws {
    var request = shell("cat; echo to-error >&2; exit 3")
    request.input = Array("text\n".utf8)
    let result = try #require(try ChildProcess.run(request, within: .seconds(10)))
    #expect(result.ending == .exit(3))
    #expect(result.output == "text\nto-error\n")
    #expect(!result.isSuccess)
  }

  @Test("the environment is empty unless given, and only the listed descriptors are there")
  func surroundings() throws {
    let bare = try #require(
      try ChildProcess.run(ChildProcess.Request("/usr/bin/env"), within: .seconds(10)))
    #expect(bare.output == "")
    let pair = try MessageSocket.pair()
    var request = shell("echo $A; ls /proc/self/fd | tr '\\n' ' '; echo hello >&3")
    request.environment = ["A=b", "PATH=/usr/bin:/bin"]
    request.descriptors = [(ours: pair.theirs.raw, number: 3)]
    let given = try #require(try ChildProcess.run(request, within: .seconds(10)))
    // ls itself opens one.
    #expect(given.output == "b\n0 1 2 3 4 ")
    let received = try MessageSocket(FileDescriptor(owning: dup(pair.ours.raw))).receive()?.bytes
    #expect(received == Array("hello\n".utf8))
  }

  @Test("a child that does not end in time is ended")
  func timeout() throws {
    #expect(try ChildProcess.run(shell("sleep 100"), within: .milliseconds(30)) == nil)
  }

  @Test("an end by signal is told as such")
  func signalled() throws {
    var child = try ChildProcess(shell("kill -USR1 $$; sleep 100"))
    var poller = try Poller()
    try poller.add(child.descriptor, for: .readable, token: 0)
    #expect(try poller.wait(until: Clock.now + .seconds(10)) == 1)
    let result = child.result()
    #expect(result?.ending == .signal(SIGUSR1))
    // Collected once, told as often as asked.
    let again = child.result()
    #expect(again == result)
  }

  @Test("signals that we block reach the child")
  func mask() throws {
    var result: ChildProcess.Result?
    let request = shell("kill -TERM $$; sleep 100")
    Namespace.onThread {
      let source = try? SignalSource([.terminate])
      result = try? ChildProcess.run(request, within: .seconds(10))
      _ = source?.next()
    }()
    #expect(result?.ending == .signal(SIGTERM))
  }

  @Test("a caller may keep more, and standard output alone")
  func answer() throws {
    var request = ChildProcess.Request("/bin/sh", ["-c", "echo complaint >&2; head -c 200000 /dev/zero | tr '\\0' x"])
    request.outputLimit = 1 << 20
    request.keepsErrors = false
    let result = try #require(try ChildProcess.run(request, within: .seconds(20)))
    #expect(result.isSuccess)
    #expect(result.output.utf8.count == 200_000)
  }

  @Test("output beyond the limit is cut off, not kept")
  func bounded() throws {
    let request = ChildProcess.Request("/usr/bin/yes")
    let result = try #require(try ChildProcess.run(request, within: .seconds(10)))
    #expect(result.output.utf8.count == ChildProcess.mostOutput)
    #expect(!result.isSuccess)
  }

  @Test("a program that is not there is a failure with its name")
  func missing() throws {
    #expect(throws: SystemFailure("start /nowhere/x", ENOENT)) {
      _ = try ChildProcess(ChildProcess.Request("/nowhere/x"))
    }
  }
}
