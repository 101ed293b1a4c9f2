import Glibc
import IO
import Testing

@Suite("The init system's notification socket")
struct NotifySocketTests {
  /// A datagram socket bound to the address; a first `@` is an abstract name.
  private func ear(_ path: String) throws -> Int32 {
    let ear = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    try #require(ear >= 0)
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    if path.hasPrefix("@") { place.sun_path.0 = 0 }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    let code = withUnsafePointer(to: &place) { bound in
      bound.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(ear, $0, size) }
    }
    try #require(code == 0)
    return ear
  }

  private func heard(_ ear: Int32) -> String? {
    var room = [UInt8](repeating: 0, count: 200)
    let count = recv(ear, &room, room.count, 0)
    return count < 0 ? nil : String(decoding: room[..<count], as: UTF8.self)
  }

  private func notify(_ values: [String: String]) -> NotifySocket? {
    NotifySocket(process: getpid()) { values[$0] }
  }

  @Test("a socket of the file system and an abstract one hear what is sent", arguments: [true, false])
  func send(isAbstract: Bool) throws {
    let path = (isAbstract ? "@" : "/tmp/") + "adit-notify-\(getpid())"
    let ear = try ear(path)
    defer {
      close(ear)
      unlink(path)
    }
    let socket = try #require(notify(["NOTIFY_SOCKET": path]))
    #expect(socket.watchdog == nil)
    #expect(socket.send("READY=1\nSTATUS=x"))
    #expect(heard(ear) == "READY=1\nSTATUS=x")
    #expect(heard(ear) == nil)
  }

  @Test("one that is full or gone is no trouble, and said so")
  func full() throws {
    let path = "@adit-notify-full-\(getpid())"
    let ear = try ear(path)
    let socket = try #require(notify(["NOTIFY_SOCKET": path]))
    var sent = 0
    while sent < 100_000, socket.send("WATCHDOG=1") { sent += 1 }
    #expect(sent < 100_000)
    close(ear)
    #expect(!socket.send("READY=1"))
  }

  @Test("without the variable, or with one that names no socket, there is nobody to tell")
  func nobody() {
    #expect(notify([:]) == nil)
    #expect(notify(["WATCHDOG_USEC": "1000000"]) == nil)
    for path in ["", "/", "@", "relative", "vsock:2:1"] { #expect(notify(["NOTIFY_SOCKET": path]) == nil) }
  }

  @Test("the watchdog counts only when it is meant for this process")
  func watchdog() {
    func watchdog(_ values: [String: String]) -> Duration? {
      notify(values.merging(["NOTIFY_SOCKET": "@x"]) { old, _ in old })?.watchdog
    }
    #expect(watchdog(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
    #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(30))
    #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]) == nil)
    for value in ["0", "-1", "soon", ""] { #expect(watchdog(["WATCHDOG_USEC": value]) == nil) }
  }

  @Test("the variables are gone once they are read")
  func environment() {
    setenv("NOTIFY_SOCKET", "@adit-test", 1)
    setenv("WATCHDOG_USEC", "1000", 1)
    setenv("WATCHDOG_PID", "\(getpid())", 1)
    #expect(NotifySocket.takeFromEnvironment()?.watchdog == .milliseconds(1))
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { #expect(getenv(name) == nil) }
  }
}
