internal import Base
internal import ConfigDirectory
internal import Exchange
internal import Gateway
internal import Profile
internal import Settings
internal import Supervisor

/// One configured tunnel while the daemon lives: its reducer, its engine, and what is known about its session.
final class TunnelRun {
  let name: TunnelName
  /// 1 to 0x7f; mark, table and uid follow from it.
  let index: Int
  /// Which of the tunnel's two places it has; each has a device, a user and a number of its own.
  let slot: Int
  let device: DeviceName
  /// True while another session of the tunnel serves.
  var isBeside = false
  /// The server of this session has answered.
  var hasAnswer = false
  /// Whether data was seen to pass; `nil` = not known yet.
  var isProven: Bool?
  var loaded: LoadedConfiguration.Tunnel
  var supervisor: TunnelSupervisor
  var judge = PathJudge()
  var engine: EngineProcess?
  /// Counts engines, so that an event of an earlier one is told apart.
  var engineGeneration: UInt32 = 0
  var watch: EngineWatch?
  var sockets: Budget?
  var names: Budget
  /// The domains that the running engine watches; `nil` = it was told nothing.
  var watched: WatchOrder?
  /// Reports of names that wait for the firewall.
  var waitingNames: [UInt32] = []
  /// True when the running engine has the tun.
  var hasTun = false
  /// What the last session pushed; outlives it, so that addresses and routes stay over a reconnect.
  var pushed: PushedOptions?
  /// The attempt whose network was asked for and not yet answered, and until when the device may be busy.
  var awaiting: (attempt: Attempt, until: Instant)?

  /// Digests of the files with secrets when they were looked at last.
  var secretsSeen: [[UInt8]?]?
  /// What is known of the sizes that pass.
  var sizes = TunnelSizes()

  var tls: TLSSummary?
  var up: UpSummary?
  var local: Endpoint?
  var counters = Counters()
  /// What its engine has in use.
  var offloads: Offloads = []
  /// The newest question for a server's name.
  var lookup: Lookup?
  /// That addresses are only remembered is told once for each time that DNS fails.
  var saysRemembered = true
  var grounds = Grounds()
  /// Renegotiations and totals of engines that are gone.
  var formerRenegotiations: UInt64 = 0

  /// A fresh engine waits this long for its predecessor's device (design: processes).
  static let deviceDeadline: Duration = .seconds(2)

  /// - Parameter device: `nil` = the tunnel's own.
  init(
    _ loaded: LoadedConfiguration.Tunnel, index: Int, slot: Int = 0, device: DeviceName? = nil,
    supervisor: TunnelSupervisor, at now: Instant
  ) {
    name = loaded.settings.name
    self.index = index
    self.slot = slot
    self.device = device ?? loaded.settings.device
    self.loaded = loaded
    self.supervisor = supervisor
    names = .names(at: now)
  }

  /// For the planner.
  var state: TunnelState {
    var state = TunnelState(
      name: name, index: index, device: device, settings: loaded.settings, profile: loaded.profile,
      pushed: pushed, serverAddress: supervisor.remote?.endpoint.address, isUp: supervisor.isUp || awaiting != nil,
      wantsDevice: !supervisor.isIdle)
    state.remoteIndex = supervisor.remote?.index
    state.measuredMTU = sizes.measured
    return state
  }

  /// A uid of its own between systemd's ranges of home areas and of dynamic users, which no distribution hands out.
  var user: UInt32 { 60_800 + number }

  /// By which its descriptors are known: of both sessions of all tunnels.
  var number: UInt32 { UInt32(index) | UInt32(slot) << 7 }

  /// By which the log names it.
  var label: String { isBeside ? "\(name), beside" : name.text }

  /// What the planner has to know of a session that does not serve; `nil` while it has no network.
  var second: SecondSession? {
    pushed.map {
      SecondSession(
        device: device, pushed: $0, remoteIndex: supervisor.remote?.index,
        serverAddress: supervisor.remote?.endpoint.address, measuredMTU: sizes.measured)
    }
  }

  /// A one-time password is good for one login, and that was spent.
  var mayStandBeside: Bool { loaded.profile?.credentials?.oneTimePassword == nil }

  /// Goes on in the place of the session that served until now.
  func succeed(_ former: TunnelRun, keepsRemote: Bool, at now: Instant) {
    supervisor.succeed(former.supervisor, keepsRemote: keepsRemote, at: now)
    formerRenegotiations &+= former.formerRenegotiations &+ former.counters.renegotiations
    names = former.names
    engineGeneration = max(engineGeneration, former.engineGeneration)
  }
}
