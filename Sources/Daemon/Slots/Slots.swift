internal import Base
internal import ConfigDirectory
internal import Supervisor

/// The session of one tunnel beside the one that serves, and what decides about it.
struct Slots {
  var switchover = Switchover()
  /// About to serve, or about to leave.
  var beside: TunnelRun?
  var besideWasUp = false
  /// True once the roles were exchanged: it leaves.
  var hasServed = false
  /// Whether the one that serves was up when it was looked at last.
  var wasUp = false
  /// The configuration that the tunnel goes to.
  var renewed: LoadedConfiguration.Tunnel?
}
