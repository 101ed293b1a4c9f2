import CLinux
import Engine
import Glibc
import IO
import Testing

@Suite("The sandbox", .enabled(if: geteuid() == 0))
struct SandboxTests {
  /// Runs `body` in a forked child: the sandbox has no way back.
  ///
  /// fork(2) is hidden from Swift because little is safe behind it; for system calls it is enough.
  private func inChild(_ body: () -> Int32) throws -> Int32 {
    typealias Fork = @convention(c) () -> Int32
    let symbol = try #require(dlsym(nil, "fork"))
    let fork = unsafeBitCast(symbol, to: Fork.self)
    let child = fork()
    if child == 0 { _exit(body()) }
    var status: Int32 = 0
    #expect(waitpid(child, &status, 0) == child)
    return status & 0x7f == 0 ? status >> 8 & 0xff : -1
  }

  @Test("behind the door there is no root, no capability, no new process and no secret file")
  func door() throws {
    let result = try inChild {
      // Tests beside this one hold descriptors above the sandbox's limit.
      _ = adit_close_from(3)
      do { try Sandbox.enter(user: 64_123) } catch { return 1 }
      var ids: (uid_t, uid_t, uid_t) = (0, 0, 0)
      guard Resolved.getresuid(&ids.0, &ids.1, &ids.2) == 0, ids == (64_123, 64_123, 64_123) else { return 2 }
      guard getegid() == 64_123, getgroups(0, nil) == 0 else { return 3 }
      guard adit_capabilities() == 0 else { return 4 }
      guard open("/etc/shadow", O_RDONLY) < 0 else { return 5 }
      guard setuid(0) < 0 else { return 6 }
      var limits = rlimit()
      guard getrlimit(__rlimit_resource_t(4), &limits) == 0, limits.rlim_max == 0 else { return 7 }
      // The unprivileged cannot mark sockets: the supervisor makes them.
      let socket = adit_socket(4, Int32(ADIT_UDP))
      guard socket >= 0, adit_socket_mark(socket, 1) < 0 else { return 8 }
      guard (try? ChildProcess(.init("/bin/true"))) == nil else { return 9 }
      return 0
    }
    #expect(result == 0)
  }

  @Test("user 0 is no sandbox")
  func root() {
    #expect(Engine.main(["0"]) == 64)
    #expect(Engine.main([]) == 64)
    #expect(Engine.main(["nobody"]) == 64)
  }

  /// GNU only, so not imported.
  private enum Resolved {
    static func getresuid(
      _ real: UnsafeMutablePointer<uid_t>, _ effective: UnsafeMutablePointer<uid_t>,
      _ saved: UnsafeMutablePointer<uid_t>
    ) -> Int32 {
      typealias Call =
        @convention(c) (
          UnsafeMutablePointer<uid_t>, UnsafeMutablePointer<uid_t>, UnsafeMutablePointer<uid_t>
        ) -> Int32
      guard let symbol = dlsym(nil, "getresuid") else { return -1 }
      return unsafeBitCast(symbol, to: Call.self)(real, effective, saved)
    }
  }
}
