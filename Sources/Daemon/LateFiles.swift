internal import Base
internal import ConfigDirectory
internal import IO
internal import Settings

/// When to look for files that a tunnel names and that are not there: on a flash that is mounted late (cases S-06).
struct LateFiles: ~Copyable {
  /// For what comes without a mount.
  private static let interval: Duration = .seconds(5)

  private let mounts: MountWatch?
  /// `nil` while nothing is missing.
  private(set) var nextWake: Instant?

  init() { mounts = try? MountWatch() }

  var descriptor: Int32? {
    switch mounts {
    case .some(let watch): watch.descriptor
    case .none: nil
    }
  }

  /// Something was mounted.
  mutating func lookNow(at now: Instant) { if nextWake != nil { nextWake = now } }

  /// - Returns: true when it is time to look.
  mutating func isDue(isMissing: Bool, at now: Instant) -> Bool {
    guard isMissing else {
      nextWake = nil
      return false
    }
    guard let due = nextWake, due <= now else {
      nextWake = nextWake ?? now + Self.interval
      return false
    }
    nextWake = now + Self.interval
    return true
  }
}

extension Daemon {
  /// Reads the configuration again when a file that an enabled tunnel lacks is there by now.
  func lookForLateFiles(at now: Instant) {
    let missing = tunnels.flatMap { $0.loaded.settings.isEnabled ? $0.loaded.missingFiles : [] }
    guard stopBy == nil, lateFiles.isDue(isMissing: !missing.isEmpty, at: now) else { return }
    if missing.contains(where: TextFile.exists) { reload(at: now) }
  }
}
