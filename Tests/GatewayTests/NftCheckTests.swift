import Gateway
import Glibc
import Testing

/// `nft -c -f -` reads a text and says whether the kernel would take it; nothing is loaded.
enum Nft {
  static let path = "/usr/sbin/nft"
  static let isUsable = geteuid() == 0 && access(path, X_OK) == 0

  /// - Returns: what nft said, empty when it takes the text.
  static func check(_ text: String) -> String {
    var input: [Int32] = [0, 0]
    var output: [Int32] = [0, 0]
    guard pipe(&input) == 0, pipe(&output) == 0 else { return "no pipe" }
    for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input[0], 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], 1)
    posix_spawn_file_actions_adddup2(&actions, output[1], 2)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup("-c"), strdup("-f"), strdup("-"), nil]
    defer { for argument in arguments { free(argument) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var pid: pid_t = 0
    let code = posix_spawn(&pid, path, &actions, nil, &arguments, &environment)
    close(input[0])
    close(output[1])
    guard code == 0 else { return "cannot start nft: \(code)" }
    // The texts are smaller than a pipe's 64 KiB, so writing first cannot stall.
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(input[1], $0.baseAddress, $0.count) }
    close(input[1])
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(output[0], $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      answer += chunk[..<count]
    }
    close(output[0])
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    return status == 0 ? "" : String(decoding: answer, as: UTF8.self) + "exit \(status)"
  }
}

@Suite("nft takes every ruleset", .enabled(if: Nft.isUsable, "needs root and nft"))
struct NftCheckTests {
  @Test("In every situation, with the clock set and unset")
  func all() throws {
    for situation in Situations.all {
      for clockIsUnset in [false, true] {
        let text = try #require(try situation.house().plan(clockIsUnset: clockIsUnset).ruleset)
        #expect(Nft.check(text) == "", "\(situation.name)")
      }
    }
  }

  @Test("And in every situation whose whole plan is kept")
  func whole() throws {
    for situation in WholePlans.all {
      guard let text = try situation.plan().ruleset else { continue }
      #expect(Nft.check(text) == "", "\(situation.name)")
    }
  }
}
