package import IO

/// Gives away everything that an engine does not need. There is no way back.
package enum Sandbox {
  /// The spare sockets, the tun, the socketpair and what c-ares opens.
  private static let mostDescriptors: UInt64 = 128
  /// Only memory files are written: bodies of reports.
  private static let largestFile: UInt64 = 8 << 20

  /// - Parameter user: also the group; nobody else's, without an entry in passwd(5).
  /// - Throws: the first step that failed: the process must end then.
  package static func enter(user: UInt32) throws(SystemFailure) {
    try Privileges.limit(.coreFile, to: 0)
    try Privileges.limit(.descriptors, to: mostDescriptors)
    try Privileges.limit(.fileSize, to: largestFile)
    try Privileges.dropCapabilityBounds()
    try Privileges.become(user: user)
    try Privileges.dropCapabilities()
    try Privileges.gainNothing()
    // A parent that ended before this is seen as the end of the socketpair.
    try Privileges.endWithParent()
    try Privileges.hideMemory()
    // Nothing is started from here on, not even a thread.
    try Privileges.limit(.processes, to: 0)
  }
}
