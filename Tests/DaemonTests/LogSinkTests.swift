import Base
import Testing

@testable import Daemon

@Suite struct LogSinkTests {
  final class Lines { var all: [String] = [] }

  private func sink(_ level: Note.Level) -> (LogSink, Lines) {
    let lines = Lines()
    return (LogSink(level: level) { lines.all.append("\($0.name) \($1)") }, lines)
  }

  @Test("a level keeps quieter lines out") func level() {
    let (log, lines) = sink(.info)
    log.log(.debug, "small talk", at: Instant(nanoseconds: 0))
    log.log(.warning, "look here", of: "home", at: Instant(nanoseconds: 0))
    #expect(lines.all == ["warning home: look here"])
  }

  @Test("a stranger's words cannot make lines of their own or drive the terminal (S-10)") func cleaned() {
    let (log, lines) = sink(.info)
    log.log(Note(.serverMessage, "hello\n2026 error: forged\u{1b}[2J\u{202e}"), of: "home", at: Instant(nanoseconds: 0))
    #expect(lines.all == ["info home: the server says: hello?2026 error: forged?[2J?"])
    #expect(LogSink.cleaned(String(repeating: "x", count: 5_000)).utf8.count < 1_010)
  }

  @Test("the same line a thousand times is twenty lines and a summary") func repeats() {
    let (log, lines) = sink(.info)
    var now = Instant(nanoseconds: 0)
    for _ in 0..<1_000 {
      log.log(Note(.sessionFailed, "x"), at: now)
      now += .milliseconds(10)
    }
    #expect(lines.all.count == 20)
    log.log(Note(.sessionFailed, "x"), at: now + .seconds(120))
    #expect(lines.all.suffix(2) == ["warning 980 more lines like it", "warning x"])
  }
}
