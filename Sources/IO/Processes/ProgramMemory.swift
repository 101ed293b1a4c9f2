internal import CLinux

/// The program's own pages in memory.
package enum ProgramMemory {
  /// Lets go of code that only the start and a handshake need; what still runs is there again when it is touched, from the
  /// page cache.
  ///
  /// The kernel maps 64 KiB around each page that a fault asks for (fault_around_bytes) and takes none back while memory is
  /// plenty, so that after a start half the program stays mapped.
  package static func forgetHandshake() { adit_forget_program() }
}
