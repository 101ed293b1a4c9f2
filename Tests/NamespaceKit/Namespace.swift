import Glibc
import Testing

/// A network namespace of its own for one test body, with `lo` up.
///
/// A namespace belongs to a thread; the body runs on a fresh one, so tests may run side by side. `#expect` on that
/// thread would be booked under no test: let the body return what it saw.
package enum Namespace {
  /// Namespaces need root. Where tests must count (CI=true) a missing root is a failure, not a skip.
  package static var isPossible: Bool {
    geteuid() == 0 || getenv("CI").map { String(cString: $0) } == "true"
  }

  package struct Failure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
  }

  package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    nonisolated(unsafe) var result: Result<Value, any Error> = .failure(Failure(description: "no thread"))
    let work = Work {
      guard unshare(newNetwork) == 0 else {
        result = .failure(Failure(description: "unshare: \(String(cString: strerror(errno)))"))
        return
      }
      result = Result {
        _ = try shell("ip link set lo up")
        return try body()
      }
    }
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    guard code == 0 else { throw Failure(description: "pthread_create: \(code)") }
    pthread_join(thread, nil)
    return try result.get()
  }

  /// Runs a shell command in the namespace of the calling thread.
  /// - Returns: what it printed, without the last newline.
  @discardableResult
  package static func shell(_ command: String) throws -> String {
    guard let pipe = popen("{ \(command)\n} 2>&1", "r") else { throw Failure(description: "popen: \(errno)") }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { text += chunk[..<count] }
    let status = pclose(pipe)
    if text.last == 10 { text.removeLast() }
    let output = String(decoding: text, as: UTF8.self)
    guard status == 0 else { throw Failure(description: "\(command): status \(status): \(output)") }
    return output
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// CLONE_NEWNET of sched.h, which shows it and unshare(2) to _GNU_SOURCE only.
private let newNetwork: Int32 = 0x4000_0000
@_silgen_name("unshare") private func unshare(_ flags: Int32) -> Int32
