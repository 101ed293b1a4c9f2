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
  /// What was there at the last look. A configuration that cannot be taken over with it is not read again for it.
  private var found: Set<String> = []
  /// Its descriptor is waited for.
  var isWatched = false

  init() { mounts = try? MountWatch() }

  var descriptor: Int32? {
    switch mounts {
    case .some(let watch): watch.descriptor
    case .none: nil
    }
  }

  /// Something was mounted.
  mutating func lookNow(at now: Instant) { if nextWake != nil { nextWake = now } }

  /// - Returns: true when a file of those has come since the last look.
  mutating func look(for missing: [String], at now: Instant) -> Bool {
    guard !missing.isEmpty else {
      nextWake = nil
      found = []
      return false
    }
    guard let due = nextWake, due <= now else {
      nextWake = nextWake ?? now + Self.interval
      return false
    }
    nextWake = now + Self.interval
    let before = found
    found = Set(missing.filter(TextFile.exists))
    return !found.isSubset(of: before)
  }
}

extension Daemon {
  /// Reads the configuration again when a file that an enabled tunnel lacks is there by now.
  func lookForLateFiles(at now: Instant) {
    let missing = tunnels.flatMap { $0.loaded.settings.isEnabled ? $0.loaded.missingFiles : [] }
    if stopBy == nil, lateFiles.look(for: missing, at: now) { reload(at: now) }
    // While nothing is missing a mount wakes nobody. Its only event is the unasked one; without it a late file is found a
    // little later.
    guard let mounts = lateFiles.descriptor, lateFiles.isWatched == missing.isEmpty else { return }
    lateFiles.isWatched = !missing.isEmpty
    if missing.isEmpty { forget(mounts) } else { watch(mounts, for: [], Token(.mounts)) }
  }
}
