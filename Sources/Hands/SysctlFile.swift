package import Gateway
package import IO

/// The files below /proc/sys. Those below `net` show the network namespace of the calling thread.
package enum SysctlFile {
  /// The longest value that the kernel shows us is a list of a dozen numbers.
  private static let longest = 4096

  /// - Returns: the value without its newline; `nil` when there is no such file.
  package static func value(_ path: String) -> String? {
    guard let place = place(path), let bytes = try? TextFile.read(place, limit: longest).bytes else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  package static func set(_ sysctl: NetworkPlan.Sysctl) throws(SystemFailure) {
    guard let place = place(sysctl.path) else { throw SystemFailure("write /proc/sys/\(sysctl.path)", 2) }
    try TextFile.overwrite(Array((sysctl.value + "\n").utf8), at: place)
  }

  /// Names come from plans and from the undo journal; none leaves /proc/sys.
  private static func place(_ path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }), !path.contains("\0") else { return nil }
    return "/proc/sys/" + path
  }
}
