import Foundation

/// A directory of its own for one test.
package final class Scratch {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "adit-config-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  package func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    let full = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (full as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: full))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: full)
    return full
  }

  /// Diagnostics without the scratch directory's name.
  package func words(_ diagnostics: [some CustomStringConvertible]) -> [String] {
    diagnostics.map { $0.description.replacingOccurrences(of: path + "/", with: "") }
  }
}
