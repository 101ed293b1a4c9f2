internal import Base
internal import ConfigDirectory
internal import Crypto
internal import IO
internal import Profile
internal import Settings
internal import Supervisor

// A password that is mended, and a fresh one-time password, are found without a reload.

extension Daemon {
  /// Far above any login; a larger file is no login.
  private static let secretBytes = 1 << 16

  /// Reads the tunnel's files anew: a password may have been mended since.
  func reread(_ tunnel: TunnelRun, at now: Instant) {
    guard let fresh = load().tunnels.first(where: { $0.settings.name == tunnel.name }), let profile = fresh.profile,
      // Orders name remotes by number: other remotes wait for a reload.
      profile.remotes == tunnel.loaded.profile?.remotes
    else { return }
    tunnel.loaded.canonicalText = fresh.canonicalText
    guard profile != tunnel.loaded.profile else { return }
    tunnel.loaded.profile = profile
    log.log(.info, "a file with its secrets has changed", of: tunnel.name.text, at: now)
    tell(tunnel, .configured(profile, nil), at: now)
  }

  func lookAtSecrets(of tunnel: TunnelRun, at now: Instant) {
    let digests = tunnel.loaded.secretFiles.map(digest)
    guard digests != tunnel.secretsSeen else { return }
    tunnel.secretsSeen = digests
    reread(tunnel, at: now)
  }

  /// Of a file that cannot be read there is none; when it can be again, it is another.
  private func digest(_ path: String) -> [UInt8]? {
    guard var (bytes, _) = try? TextFile.read(path, limit: Self.secretBytes) else { return nil }
    defer { bytes.wipe() }
    return digestOf(.sha256, bytes)
  }
}
