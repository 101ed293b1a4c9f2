package import Base
internal import CLinux
internal import Glibc

/// Small files, whole: read with a limit, written so that a reader sees the old or the new one.
package enum TextFile {
  package enum ReadFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case system(SystemFailure)
    case notRegular
    case tooLarge(limit: Int)

    package var description: String {
      switch self {
      case .system(let failure): failure.reason
      case .notRegular: "not a regular file"
      case .tooLarge(let limit): "larger than \(limit) bytes"
      }
    }
  }

  package struct Status: Hashable, Sendable {
    /// Tells one file from another, and a network namespace from another.
    package var inode: UInt64
    package var size: UInt64
    package var modified: WallTime
    /// The permission bits.
    package var mode: UInt32
    package var owner: UInt32
    package var group: UInt32
    package var isRegular: Bool
    package var isDirectory: Bool
    package var isSocket: Bool

    /// True when group or others may read or write: no place for a secret.
    package var isOpenToOthers: Bool { mode & 0o066 != 0 }

    init(_ file: adit_file) {
      inode = file.inode
      size = file.size
      modified = WallTime(seconds: file.modified)
      mode = file.mode
      owner = file.owner
      group = file.group
      isRegular = file.is_regular != 0
      isDirectory = file.is_directory != 0
      isSocket = file.is_socket != 0
    }
  }

  /// Reads a regular file whole. Never waits: a fifo is refused, not opened.
  /// - Parameter limit: for files of /proc and /sys too, whose size says 0.
  package static func read(_ path: String, limit: Int) throws(ReadFailure) -> (bytes: [UInt8], status: Status) {
    do {
      // A fifo without O_NONBLOCK would wait for a writer.
      let opened = unsafe adit_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0)
      let descriptor = FileDescriptor(owning: try SystemCall.check(opened, "open \(path)"))
      return try read(descriptor, limit: limit)
    } catch let failure as SystemFailure {
      throw .system(failure)
    } catch let failure as ReadFailure {
      throw failure
    } catch {
      throw .notRegular
    }
  }

  private static func read(
    _ descriptor: borrowing FileDescriptor, limit: Int
  ) throws -> (bytes: [UInt8], status: Status) {
    var file = adit_file()
    try SystemCall.done(unsafe adit_file_of(descriptor.raw, &file), "fstat")
    guard file.is_regular != 0 else { throw ReadFailure.notRegular }
    guard file.size <= UInt64(limit) else { throw ReadFailure.tooLarge(limit: limit) }
    var bytes = try readToEnd(descriptor.raw, limit: limit)
    guard bytes.count <= limit else {
      bytes.wipe()
      throw ReadFailure.tooLarge(limit: limit)
    }
    return (bytes, Status(file))
  }

  /// - Returns: `nil` when nothing is there; a symbolic link is looked at itself.
  package static func status(_ path: String) -> Status? {
    var file = adit_file()
    return unsafe adit_file_at(path, &file) < 0 ? nil : Status(file)
  }

  /// True when something is there, at the far end of symbolic links too; what it is or says is not looked at.
  package static func exists(_ path: String) -> Bool {
    let opened = unsafe adit_open(path, pathOnly, 0)
    if opened >= 0 { _ = adit_close(opened) }
    return opened >= 0
  }

  /// O_PATH of fcntl.h, which shows it to _GNU_SOURCE only; one number on every architecture that we build for.
  private static let pathOnly: Int32 = 0o10000000

  /// True when we could write to what is there; a read-only mount says no.
  package static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

  /// Where a symbolic link leads, links of /proc too; `nil` when it is none or longer than `limit`.
  package static func target(ofLink path: String, limit: Int = 1024) -> String? {
    var room = [UInt8](repeating: 0, count: limit)
    let count = unsafe room.withUnsafeMutableBytes { room in
      guard let base = room.baseAddress else { return -1 }
      return unsafe readlink(path, base.assumingMemoryBound(to: CChar.self), room.count)
    }
    return (0..<limit).contains(count) ? String(decoding: room[..<count], as: UTF8.self) : nil
  }

  /// Writes a new file beside the old one and renames it over: no reader sees half of it, a crash leaves the old one.
  ///
  /// - Parameter draft: the new file's first name, in the same directory; `nil` = the path with `.new` behind it.
  package static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32, draft: String? = nil
  ) throws(SystemFailure) {
    let draft = draft ?? path + ".new"
    _ = unsafe adit_unlink(draft)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    do {
      let descriptor = FileDescriptor(
        owning: try SystemCall.check(unsafe adit_open(draft, flags, mode), "open \(draft)"))
      // The umask of whoever started us has no say.
      try SystemCall.done(unsafe adit_change_mode(draft, mode), "chmod \(draft)")
      try writeAll(bytes, to: descriptor.raw, "write \(draft)")
      try SystemCall.done(unsafe adit_rename(draft, path), "rename \(path)")
    } catch {
      _ = unsafe adit_unlink(draft)
      throw error
    }
  }

  /// Writes into an existing file as it stands, in one call: for /proc/sys, where nothing can be renamed.
  package static func overwrite(_ bytes: [UInt8], at path: String) throws(SystemFailure) {
    let descriptor = FileDescriptor(owning: try SystemCall.check(unsafe adit_open(path, O_WRONLY, 0), "open \(path)"))
    try writeAll(bytes, to: descriptor.raw, "write \(path)")
  }

  /// Harmless when nothing is there.
  package static func remove(_ path: String) throws(SystemFailure) {
    let result = unsafe adit_unlink(path)
    if result != -ENOENT { try SystemCall.done(result, "unlink \(path)") }
  }

  /// Makes the directory unless it is there; the parents must be.
  package static func makeDirectory(_ path: String, mode: UInt32) throws(SystemFailure) {
    let result = unsafe adit_make_directory(path, mode)
    if result == -EEXIST, let status = status(path), status.isDirectory { return }
    try SystemCall.done(result, "mkdir \(path)")
    try SystemCall.done(unsafe adit_change_mode(path, mode), "chmod \(path)")
  }

  /// Names of the entries, sorted, without `.` and `..`.
  package static func names(in directory: String) throws(SystemFailure) -> [String] {
    let opened = unsafe adit_open(directory, O_RDONLY | O_DIRECTORY, 0)
    let descriptor = FileDescriptor(owning: try SystemCall.check(opened, "open \(directory)"))
    var room = [UInt8](repeating: 0, count: mostNameBytes)
    let used = unsafe room.withUnsafeMutableBytes {
      unsafe adit_directory_names(descriptor.raw, $0.baseAddress, $0.count)
    }
    let count = try SystemCall.check(used, "readdir \(directory)")
    return room[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  /// Some 4,000 names of ordinary length: a configuration directory is small.
  private static let mostNameBytes = 64 * 1024

  /// Up to one byte more than `limit`, so that the caller sees when it is not the end.
  static func readToEnd(_ descriptor: Int32, limit: Int) throws(SystemFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    defer { chunk.wipe() }
    // Reserved at once, so that no copy of a secret is left behind by growth.
    bytes.reserveCapacity(limit < 1 << 20 ? limit + chunk.count : 1 << 20)
    while bytes.count <= limit {
      let got = unsafe chunk.withUnsafeMutableBytes { unsafe adit_read(descriptor, $0.baseAddress, $0.count) }
      let count = try SystemCall.check(got, "read")
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  static func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ call: String) throws(SystemFailure) {
    var done = 0
    while done < bytes.count {
      let wrote = unsafe bytes.withUnsafeBytes { buffer in
        unsafe buffer.baseAddress.map { unsafe adit_write(descriptor, $0 + done, buffer.count - done) } ?? 0
      }
      done += try SystemCall.check(wrote, call)
    }
  }
}
