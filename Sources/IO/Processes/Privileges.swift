internal import CLinux

/// What a process may give away, one step each. None can be taken back.
package enum Privileges {
  package enum Limit: String, Sendable {
    case coreFile = "RLIMIT_CORE"
    case descriptors = "RLIMIT_NOFILE"
    case fileSize = "RLIMIT_FSIZE"
    case processes = "RLIMIT_NPROC"
  }

  package static var user: UInt32 { adit_user_id() }

  /// Both the soft and the hard limit.
  package static func limit(_ limit: Limit, to value: UInt64) throws(SystemFailure) {
    let result =
      switch limit {
      case .coreFile: adit_limit_core(value)
      case .descriptors: adit_limit_descriptors(value)
      case .fileSize: adit_limit_file_size(value)
      case .processes: adit_limit_processes(value)
      }
    try SystemCall.done(result, limit.rawValue)
  }

  /// All user and group ids become `user`, the group list becomes empty. It needs no entry in passwd(5).
  package static func become(user: UInt32) throws(SystemFailure) {
    try SystemCall.done(adit_become(user, user), "setresuid")
  }

  /// Nothing started from here on can have a capability. Root's to ask, so before the change of user.
  package static func dropCapabilityBounds() throws(SystemFailure) {
    try SystemCall.done(adit_drop_capability_bounds(), "PR_CAPBSET_DROP")
  }

  /// The ambient set and this thread's own.
  package static func dropCapabilities() throws(SystemFailure) {
    try SystemCall.done(adit_drop_capabilities(), "capset")
  }

  /// No program that we could start gives any back.
  package static func gainNothing() throws(SystemFailure) {
    try SystemCall.done(adit_no_new_privileges(), "no_new_privs")
  }

  /// Killed when the parent ends. Forgotten by a change of user, so ask after it.
  package static func endWithParent() throws(SystemFailure) {
    try SystemCall.done(adit_signal_with_parent(9), "PR_SET_PDEATHSIG")
  }

  /// No core dump, no ptrace, no look into our /proc by our own user. Forgotten by a change of user too.
  package static func hideMemory() throws(SystemFailure) {
    try SystemCall.done(adit_set_dumpable(0), "PR_SET_DUMPABLE")
  }
}
