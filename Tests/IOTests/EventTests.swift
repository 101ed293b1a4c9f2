import Base
import CLinux
import Glibc
import IO
import Testing

@Suite("Poller, timer and signals")
struct EventTests {
  @Test("a descriptor is reported with its token and only while it is watched")
  func readiness() throws {
    let pair = try MessageSocket.pair()
    let first = MessageSocket(FileDescriptor(owning: dup(pair.ours.raw)))
    let second = pair.theirs.raw
    var poller = try Poller()
    try poller.add(second, for: .readable, token: 7)
    #expect(try poller.wait(until: Clock.now) == 0)
    #expect(first.send([1]) == .sent)
    #expect(try poller.wait(until: nil) == 1)
    let event = poller[0]
    #expect(event.token == 7)
    #expect(event.readiness == .readable)
    try poller.change(second, to: [.readable, .writable], token: 8)
    #expect(try poller.wait(until: nil) == 1)
    let both = poller[0]
    #expect(both.token == 8)
    #expect(both.readiness == [.readable, .writable])
    poller.remove(second)
    #expect(try poller.wait(until: Clock.now) == 0)
  }

  @Test("a poller can wait for a poller")
  func nested() throws {
    let pair = try MessageSocket.pair()
    let inner = try Poller()
    var outer = try Poller()
    try inner.add(pair.theirs.raw, for: .readable, token: 1)
    try outer.add(inner.descriptor, for: .readable, token: 2)
    #expect(try outer.wait(until: Clock.now) == 0)
    #expect(write(pair.ours.raw, "x", 1) == 1)
    #expect(try outer.wait(until: nil) == 1)
  }

  @Test("R-09: a wall clock that nobody sets says nothing")
  func clockWatch() throws {
    let watch = try ClockWatch()
    var poller = try Poller()
    try poller.add(watch.descriptor, for: .readable, token: 0)
    watch.acknowledge()
    #expect(try poller.wait(until: Clock.now + .milliseconds(20)) == 0)
  }

  @Test("a timer fires at its moment, once, and not when it is off")
  func timer() throws {
    var timer = try TimerDescriptor()
    var poller = try Poller()
    try poller.add(timer.descriptor, for: .readable, token: 0)
    let moment = Clock.now + .milliseconds(20)
    try timer.set(moment)
    #expect(try poller.wait(until: nil) == 1)
    #expect(Clock.now >= moment)
    timer.acknowledge()
    #expect(try poller.wait(until: Clock.now) == 0)
    try timer.set(Instant(nanoseconds: 0))
    #expect(try poller.wait(until: nil) == 1)
    try timer.set(Clock.now + .seconds(60))
    try timer.set(nil)
    #expect(try poller.wait(until: Clock.now) == 0)
  }

  @Test("waiting ends at the deadline, never before")
  func deadline() throws {
    var poller = try Poller()
    let deadline = Clock.now + .microseconds(2500)
    #expect(try poller.wait(until: deadline) == 0)
    #expect(Clock.now >= deadline)
  }

  @Test("a signal to the thread is read from the source")
  func signals() throws {
    // On a thread of its own: signal masks are per thread.
    var seen: SignalSource.Signal?
    var none: SignalSource.Signal? = .hangUp
    Namespace.onThread {
      guard let source = try? SignalSource([.user1]) else { return }
      none = source.next()
      pthread_kill(pthread_self(), SIGUSR1)
      seen = source.next()
    }()
    #expect(none == nil)
    #expect(seen == .user1)
  }

  @Test("the boot clock runs on and the wall clock knows the century")
  func clocks() {
    let first = Clock.now
    #expect(Clock.now >= first)
    #expect(Clock.wallTime > WallTime(seconds: 1_500_000_000))
  }
}
