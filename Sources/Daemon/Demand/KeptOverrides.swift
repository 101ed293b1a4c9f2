internal import Base
internal import IO
internal import Settings
internal import Supervisor

/// What the owner asked for at run time, and the file that keeps it over a restart of the daemon.
struct KeptOverrides {
  private static let mode: UInt32 = 0o600
  private static let bootFile = "/proc/sys/kernel/random/boot_id"
  /// A UUID in letters.
  private static let bootLength = 36

  /// `nil` = one profile in the foreground, whose owner sits before it: nothing is kept.
  private let path: String?
  private let boot: String
  private(set) var overrides = Overrides()

  init(stateDirectory: String?) {
    path = stateDirectory.map { $0 + "/overrides" }
    let id = try? TextFile.read(Self.bootFile, limit: 64).bytes.prefix(Self.bootLength)
    boot = id.map { String(decoding: $0, as: UTF8.self) } ?? "unknown"
    guard let path, let file = try? TextFile.read(path, limit: Overrides.largest) else { return }
    overrides = Overrides(String(decoding: file.bytes, as: UTF8.self), boot: boot)
  }

  /// - Returns: what is wrong with the file, when it could not be written.
  mutating func change(_ tunnel: TunnelName, _ body: (inout Overrides.Entry) -> Void) -> SystemFailure? {
    body(&overrides[tunnel])
    return save()
  }

  mutating func endPauses(at now: Instant) -> [TunnelName] {
    let over = overrides.endPauses(at: now)
    if !over.isEmpty { _ = save() }
    return over
  }

  private func save() -> SystemFailure? {
    guard let path else { return nil }
    do throws(SystemFailure) {
      try TextFile.write(Array(overrides.text(boot: boot).utf8), to: path, mode: Self.mode)
      return nil
    } catch {
      return error
    }
  }
}
