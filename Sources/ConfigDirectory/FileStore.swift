import Base
import Glibc
import IO
import Profile

/// Reads the files that a configuration names, and remembers what was said about them.
struct FileStore {
  /// Every file that was read or wanted, as an absolute path.
  private(set) var wanted: Set<String> = []
  /// Those that were not there; a flash that is mounted late may bring them.
  var missing: [String] = []
  /// Those that hold a secret.
  var secrets: [String] = []
  private(set) var warnings: [Diagnostic] = []
  private var judged: Set<String> = []

  /// `path` as it stands, or below `base`; `.` is the working directory, where names stand as they were typed.
  static func resolve(_ path: String, base: String) -> String {
    if path.hasPrefix("/") || base == "." { return path }
    return base.hasSuffix("/") ? base + path : base + "/" + path
  }

  /// The part before the last slash.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A regular file within the limit; fifos, devices and directories are refused without waiting for them.
  ///
  /// - Parameter secretAt: the key that names it, when its content is a secret: then its mode is judged once (cases S-07).
  mutating func read(
    _ path: String, limit: Int, secretAt location: SourceLocation? = nil
  ) -> Result<[UInt8], FileProblem> {
    wanted.insert(path)
    if location != nil, !secrets.contains(path) { secrets.append(path) }
    do {
      let (bytes, status) = try TextFile.read(path, limit: limit)
      if let location { judge(path, status, at: location) }
      return .success(bytes)
    } catch {
      if case .system(let failure) = error, [ENOENT, ENOTDIR].contains(failure.number) { missing.append(path) }
      return .failure(FileProblem(Self.words(error)))
    }
  }

  mutating func judge(_ path: String, _ status: TextFile.Status, at location: SourceLocation) {
    guard status.isOpenToOthers, judged.insert(path).inserted else { return }
    let mode = String(status.mode & 0o777, radix: 8)
    warnings.append(
      Diagnostic(.warning, location, "others can read the secret in \(path) (mode \(mode)): chmod 600 \(path)"))
  }

  private static func words(_ failure: TextFile.ReadFailure) -> String {
    switch failure {
    case .system(let failure): failure.reason
    case .notRegular: "not a regular file"
    case .tooLarge(let limit): "larger than \(limit) bytes"
    }
  }
}
