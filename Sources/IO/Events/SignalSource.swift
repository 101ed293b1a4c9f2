internal import CLinux
internal import Glibc

/// Signals as something to read (signalfd). They stay blocked for this thread; children get a clean mask.
package struct SignalSource: ~Copyable {
  package enum Signal: Int32, Hashable, Sendable, CaseIterable {
    case hangUp = 1  // SIGHUP
    case interrupt = 2  // SIGINT
    case terminate = 15  // SIGTERM
    case child = 17  // SIGCHLD on every architecture that we build for
    case user1 = 10  // SIGUSR1
    case user2 = 12  // SIGUSR2
  }

  private let source: FileDescriptor

  package init(_ signals: [Signal]) throws(SystemFailure) {
    let numbers = signals.map(\.rawValue)
    let opened = unsafe numbers.withUnsafeBufferPointer { unsafe adit_signal_open($0.baseAddress, Int32($0.count)) }
    source = FileDescriptor(owning: try SystemCall.check(opened, "signalfd"))
  }

  package var descriptor: Int32 { source.raw }

  /// The next pending signal; `nil` when there is none.
  package func next() -> Signal? {
    let number = adit_signal_next(source.raw)
    return number > 0 ? Signal(rawValue: number) : nil
  }

  /// Writing to a closed socket shall be an error value and not an end.
  package static func ignoreBrokenPipes() { _ = adit_signal_ignore(SIGPIPE) }
}
