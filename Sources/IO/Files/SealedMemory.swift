package import Base
internal import CLinux
internal import Glibc

/// A large body on its way to another process: memory without a name that nobody can change any more (memfd, sealed).
package enum SealedMemory {
  package enum ReadFailure: Error, Hashable, Sendable {
    case system(SystemFailure)
    /// Not sealed, so it could change while we read.
    case notSealed
    case tooLarge(limit: Int)
  }

  package static func make(_ body: SecretBytes) throws(SystemFailure) -> FileDescriptor {
    let memory = FileDescriptor(owning: try SystemCall.check(unsafe adit_memory_create("adit"), "memfd_create"))
    var done = 0
    while done < body.count {
      let wrote = unsafe body.withBytes { bytes in
        unsafe bytes.baseAddress.map { unsafe adit_write(memory.raw, $0 + done, bytes.count - done) } ?? 0
      }
      done += try SystemCall.check(wrote, "write")
    }
    try SystemCall.done(adit_memory_seal(memory.raw), "seal")
    return memory
  }

  /// - Parameter memory: from the other side; nothing about it is believed.
  package static func read(_ memory: borrowing FileDescriptor, limit: Int) throws(ReadFailure) -> SecretBytes {
    guard adit_memory_is_sealed(memory.raw) == 1 else { throw .notSealed }
    do {
      var file = adit_file()
      try SystemCall.done(unsafe adit_file_of(memory.raw, &file), "fstat")
      guard file.size <= UInt64(limit) else { throw ReadFailure.tooLarge(limit: limit) }
      var bytes = [UInt8](repeating: 0, count: Int(file.size))
      defer { bytes.wipe() }
      var done = 0
      while done < bytes.count {
        let got = unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe buffer.baseAddress.map {
            unsafe adit_read_at(memory.raw, $0 + done, buffer.count - done, Int64(done))
          } ?? 0
        }
        let count = try SystemCall.check(got, "pread")
        if count == 0 { throw SystemFailure("pread", EIO) }
        done += count
      }
      return SecretBytes(bytes)
    } catch let failure as SystemFailure {
      throw .system(failure)
    } catch {
      throw .tooLarge(limit: limit)
    }
  }
}
