import CLinux
import Glibc
import Testing

/// Work in a network namespace of its own. Namespaces belong to threads, so each piece gets a thread that ends with it.
enum Namespace {
  static let isRoot = geteuid() == 0

  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Expectations inside would be booked under no test: return a value and look at it outside.
  /// - Returns: `nil` when there was no namespace to be had.
  static func run<Result>(_ body: @escaping () -> Result) -> Result? {
    var result: Result?
    onThread {
      if adit_network_unshare() == 0, adit_device_up("lo", 1) == 0 { result = body() }
    }()
    return result
  }

  /// Starts `body` on a thread of its own. The returned closure waits for its end.
  @discardableResult
  static func onThread(_ body: @escaping () -> Void) -> () -> Void {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    let created = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work)
    precondition(created == 0)
    return { pthread_join(thread, nil) }
  }

  static func shell(_ command: String) -> Int32 {
    // posix_spawn keeps the calling thread's namespace.
    (try? IOShell.run(command)) ?? -1
  }
}

@Suite("The test machine")
struct MachineTests {
  @Test("runs as root where it must")
  func root() {
    if getenv("CI") != nil { #expect(Namespace.isRoot, "the namespace tests need root; they were left out") }
  }
}
