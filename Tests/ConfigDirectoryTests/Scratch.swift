import Foundation

/// A directory of its own for one test.
final class Scratch {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "adit-config-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    let full = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (full as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: full))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: full)
    return full
  }

  /// Diagnostics without the scratch directory's name.
  func words(_ diagnostics: [some CustomStringConvertible]) -> [String] {
    diagnostics.map { $0.description.replacingOccurrences(of: path + "/", with: "") }
  }
}

/// Reads as a profile: certificates and keys are looked at by the TLS room only.
enum Sample {
  static let authority = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
  static let key = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"
  static let profile = """
    client
    dev tun
    remote vpn.example.net 1194 udp
    remote-cert-tls server
    ca ca.crt
    auth-user-pass home.auth

    """
  static let section = "config tunnel 'home'\n\toption profile 'home.ovpn'\n"
}
