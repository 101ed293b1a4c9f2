import Base
import Daemon
import Testing

@Suite("What the init system is told")
struct ServiceNoticeTests {
  private final class Ear {
    var heard: [String] = []
    var isDeaf = false
    func hear(_ text: String) -> Bool {
      if !isDeaf { heard.append(text) }
      return !isDeaf
    }
    func take() -> [String] {
      defer { heard = [] }
      return heard
    }
  }

  private let start = Instant(nanoseconds: 1_000_000_000_000)

  @Test("Ready is said once, when the network stands; a status only when it changes")
  func ready() {
    let ear = Ear()
    var notice = ServiceNotice(watchdog: nil, send: ear.hear)
    notice.turn(isReady: false, isStopping: false, status: "home: connecting", at: start)
    #expect(ear.take() == ["STATUS=home: connecting"])
    notice.turn(isReady: true, isStopping: false, status: "home: connecting", at: start)
    #expect(ear.take() == ["READY=1"])
    notice.turn(isReady: false, isStopping: false, status: "home: connected", at: start)
    notice.turn(isReady: true, isStopping: false, status: "home: connected", at: start)
    #expect(ear.take() == ["STATUS=home: connected"])
    #expect(notice.nextWake == nil, "without a watchdog no timer exists")
  }

  @Test("A reload begins with a time stamp and ends with ready, and a stop is said once")
  func reload() {
    let ear = Ear()
    var notice = ServiceNotice(watchdog: nil, send: ear.hear)
    notice.reload(monotonicMicroseconds: 1)
    notice.turn(isReady: true, isStopping: false, status: "", at: start)
    #expect(ear.take() == ["READY=1"], "before the start is over there is nothing to reload")
    notice.reload(monotonicMicroseconds: 42)
    notice.turn(isReady: false, isStopping: false, status: "", at: start)
    notice.turn(isReady: true, isStopping: false, status: "", at: start)
    #expect(ear.take() == ["RELOADING=1\nMONOTONIC_USEC=42", "READY=1"])
    notice.turn(isReady: true, isStopping: true, status: "", at: start)
    notice.turn(isReady: true, isStopping: true, status: "", at: start)
    #expect(ear.take() == ["STOPPING=1"])
  }

  @Test("Signs of life come at half of the watchdog's time, and only from a loop that turns")
  func watchdog() {
    let ear = Ear()
    var notice = ServiceNotice(watchdog: .seconds(30), send: ear.hear)
    notice.turn(isReady: true, isStopping: false, status: "", at: start)
    #expect(ear.take() == ["READY=1\nWATCHDOG=1"])
    #expect(notice.nextWake == start + .seconds(15))
    notice.turn(isReady: true, isStopping: false, status: "", at: start + .seconds(14))
    #expect(ear.take() == [])
    notice.turn(isReady: true, isStopping: false, status: "", at: start + .seconds(15))
    #expect(ear.take() == ["WATCHDOG=1"])
    #expect(notice.nextWake == start + .seconds(30))
  }

  @Test("What was not taken is said again, in order, and only the newest status")
  func deaf() {
    let ear = Ear()
    var notice = ServiceNotice(watchdog: .seconds(2), send: ear.hear)
    ear.isDeaf = true
    notice.turn(isReady: true, isStopping: false, status: "a", at: start)
    notice.turn(isReady: true, isStopping: false, status: "b", at: start)
    notice.turn(isReady: true, isStopping: false, status: "c", at: start)
    #expect(notice.nextWake == start + .milliseconds(500))
    for second in 1...100 { notice.turn(isReady: true, isStopping: false, status: "c", at: start + .seconds(second)) }
    ear.isDeaf = false
    notice.turn(isReady: true, isStopping: false, status: "c", at: start + .seconds(200))
    #expect(ear.take().first?.hasPrefix("READY=1\nSTATUS=a") == true)
    notice.turn(isReady: true, isStopping: false, status: "d", at: start + .seconds(201))
    #expect(ear.take().last?.hasPrefix("STATUS=d") == true)
  }
}
