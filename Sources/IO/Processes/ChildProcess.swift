internal import Base
internal import CLinux

/// A program that was started, and how it ends.
///
/// Standard input is a text given whole, standard output and error go to one bounded memory file: there is nothing to
/// pump, and the one descriptor to wait for is the process itself. The child gets default signals, an empty signal mask, a
/// process group of its own and no descriptor but those listed.
package struct ChildProcess: ~Copyable {
  package struct Request: Sendable {
    /// Absolute.
    package var path: String
    /// Without the program's name.
    package var arguments: [String]
    /// `NAME=value`; empty unless said, so that nothing leaks in.
    package var environment: [String] = []
    package var input: [UInt8] = []
    /// False: the child writes to our own standard error.
    package var capturesOutput = true
    /// False: only standard output is kept, for programs whose answer is to be parsed.
    package var keepsErrors = true
    /// Bytes of output; more makes the child's writes fail.
    package var outputLimit = ChildProcess.mostOutput
    /// Further descriptors: ours → the child's number.
    package var descriptors: [(ours: Int32, number: Int32)] = []

    package init(_ path: String, _ arguments: [String] = []) {
      self.path = path
      self.arguments = arguments
    }
  }

  package enum Ending: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  package struct Result: Hashable, Sendable {
    package var ending: Ending
    /// At most `Request.outputLimit` bytes.
    package var output: String

    package var isSuccess: Bool { ending == .exit(0) }
  }

  package static let mostOutput = 64 * 1024

  package let id: Int32
  private let process: FileDescriptor
  private let output: FileDescriptor
  private let outputLimit: Int
  private var ending: Ending?

  package init(_ request: Request) throws(SystemFailure) {
    let input = FileDescriptor(owning: try SystemCall.check(unsafe adit_memory_create("input"), "memfd_create"))
    try TextFile.writeAll(request.input, to: input.raw, "write")
    try SystemCall.done(adit_rewind(input.raw), "lseek")
    let memory = unsafe adit_memory_fixed("output", request.outputLimit)
    let output = FileDescriptor(owning: try SystemCall.check(memory, "memfd_create"))
    // What nobody reads; full at once, so that a talkative program costs no memory.
    let unread = FileDescriptor(owning: try SystemCall.check(unsafe adit_memory_fixed("unread", 0), "memfd_create"))
    let destination = request.capturesOutput ? output.raw : 2
    let errors = request.keepsErrors ? destination : unread.raw
    let mapped: [(ours: Int32, number: Int32)] =
      [(input.raw, 0), (destination, 1), (errors, 2)] + request.descriptors
    let id = try SystemCall.check(Self.spawn(request, mapped), "start \(request.path)")
    let watched = adit_process_descriptor(id)
    if watched < 0 { adit_process_end(id) }
    process = FileDescriptor(owning: try SystemCall.check(watched, "pidfd_open"))
    self.id = id
    self.output = output
    outputLimit = request.outputLimit
  }

  deinit { if ending == nil { adit_process_end(id) } }

  /// Readable when the process has ended.
  package var descriptor: Int32 { process.raw }

  package func kill(_ signal: SignalSource.Signal) { if ending == nil { _ = adit_process_kill(id, signal.rawValue) } }

  /// SIGKILL; the ending is still to be collected.
  package func killNow() { if ending == nil { _ = adit_process_kill(id, 9) } }

  /// Lets it run to its end without us: nobody learns how that was.
  package mutating func leave() { if ending == nil { ending = .exit(-1) } }

  /// - Returns: `nil` while it runs.
  package mutating func result() -> Result? {
    if ending == nil {
      var value: Int32 = 0
      switch unsafe adit_process_reap(id, &value) {
      case 0: return nil
      case 1: ending = .exit(value)
      case 2: ending = .signal(value)
      // Somebody else collected it: nothing is known but that it is gone.
      default: ending = .exit(-1)
      }
    }
    return ending.map { Result(ending: $0, output: capturedText()) }
  }

  /// Starts and waits: for one-shot commands, never for the daemon's loop.
  /// - Returns: `nil` when it took too long; it is ended then.
  package static func run(_ request: Request, within limit: Duration) throws(SystemFailure) -> Result? {
    var child = try ChildProcess(request)
    var poller = try Poller()
    try poller.add(child.descriptor, for: .readable, token: 0)
    let deadline = Clock.now + limit
    while true {
      if let result = child.result() { return result }
      if Clock.now >= deadline { return nil }
      _ = try poller.wait(until: deadline)
    }
  }

  private func capturedText() -> String {
    var bytes = [UInt8](repeating: 0, count: outputLimit)
    let got = unsafe bytes.withUnsafeMutableBytes { unsafe adit_read_at(output.raw, $0.baseAddress, $0.count, 0) }
    // The memory has its full size from the start: what was not written is zero.
    let text = bytes[..<max(got, 0)].prefix { $0 != 0 }
    return String(decoding: text, as: UTF8.self)
  }

  private static func spawn(_ request: Request, _ mapped: [(ours: Int32, number: Int32)]) -> Int32 {
    let arguments = CStrings([request.path] + request.arguments)
    let environment = CStrings(request.environment)
    let from = mapped.map(\.ours)
    let to = mapped.map(\.number)
    return unsafe adit_spawn(request.path, arguments.pointers, environment.pointers, from, to, Int32(from.count))
  }
}

/// A NULL-ended array of C strings that lives as long as this does.
@safe private struct CStrings: ~Copyable {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    unsafe pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      let bytes = string.utf8CString
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      for (offset, byte) in bytes.enumerated() { unsafe copy[offset] = byte }
      unsafe (pointers + index).initialize(to: copy)
    }
    unsafe (pointers + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { unsafe pointers[index]?.deallocate() }
    unsafe pointers.deallocate()
  }
}
