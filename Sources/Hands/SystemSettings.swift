import Base
import Gateway
import IO

/// Sets sysctls and puts them back.
struct SystemSettings {
  private let journal: UndoJournal

  init(_ journal: UndoJournal) { self.journal = journal }

  /// The files that have a value of ours, or had one before somebody else wrote.
  var changedPaths: Set<String> { Set(journal.entries.map(\.path)) }

  /// Sets the value, unless it is set already: then it is not ours to put back.
  func set(_ sysctl: NetworkPlan.Sysctl) throws(Fault) {
    guard let current = SysctlFile.value(sysctl.path) else {
      throw Fault(.networkPlanFailed, "set \(sysctl.path): no such setting in this kernel")
    }
    guard current != sysctl.value else { return }
    do throws(SystemFailure) {
      try journal.note(sysctl, over: current)
      try SysctlFile.set(sysctl)
    } catch {
      throw Fault(.networkPlanFailed, "set \(sysctl.path): \(error)")
    }
  }

  /// Puts the old values back, the last change first, but only where the value is still ours.
  /// - Parameter kept: what is still wanted stays.
  /// - Returns: the paths put back, and what failed.
  func restore(except kept: Set<String> = []) -> (restored: [String], failures: [StepFailure]) {
    var restored: [String] = []
    var failures: [StepFailure] = []
    var done = Set<String>()
    for entry in journal.entries.reversed() where !kept.contains(entry.path) {
      // A file that is gone went with its device; a foreign value is somebody's will.
      guard let current = SysctlFile.value(entry.path), current != entry.old, entry.ours.contains(current) else {
        done.insert(entry.path)
        continue
      }
      let old = NetworkPlan.Sysctl(entry.path, entry.old)
      do throws(SystemFailure) {
        try SysctlFile.set(old)
        restored.append(entry.path)
        done.insert(entry.path)
      } catch {
        failures.append(
          StepFailure(step: .setSysctl(old), fault: Fault(.networkPlanFailed, "restore \(entry.path): \(error)")))
      }
    }
    // An entry that cannot be struck out does no harm: its file no longer has a value of ours.
    do throws(SystemFailure) { try journal.remove(done) } catch {}
    return (restored, failures)
  }
}
