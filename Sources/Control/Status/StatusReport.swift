package import Base

/// What `adit status` shows: everything a router owner may ask about the running gateway, as one value.
///
/// What is not known is `nil` here and null in the JSON text, where every key is always present.
package struct StatusReport: Hashable, Sendable {
  package var version: String
  package var tunnels: [TunnelStatus] = []
  package var gateways: [GatewayStatus] = []
  package var passes: [PassStatus] = []
  package var uplink = UplinkStatus()

  package init(version: String) { self.version = version }
}

/// The words of NetworkExtension's NEVPNStatus, with their meaning.
package enum TunnelStatusWord: String, Hashable, Sendable, CaseIterable {
  /// The configuration has errors: nothing will happen until it is mended.
  case invalid
  case disconnected
  case connecting
  case connected
  /// It was connected, and comes back by itself.
  case reasserting
  case disconnecting
}

package struct TunnelStatus: Hashable, Sendable {
  package var name: String
  package var status: TunnelStatusWord
  package var since: WallTime?
  package var device: String?
  package var remote = Remote()
  /// All that the profile names, in its order: `vpn.example.net:1194/udp`.
  package var remotes: [String] = []
  package var override = Override()
  /// Why it is at rest, when neither the owner nor `enabled` put it there.
  package var demand: String?
  package var local = Local()
  /// Addresses with prefix length.
  package var ipv4: [String] = []
  package var ipv6: [String] = []
  package var gateway4: String?
  package var gateway6: String?
  package var mtu: Int?
  package var dns: [String] = []
  package var domains: [String] = []
  package var cipher: String?
  package var tls: String?
  package var control: String?
  package var data: String?
  package var peerID: UInt32?
  package var user: String?
  package var offload: String?
  package var tun = TunCounters()
  package var transport = TransportCounters()
  /// Dropped packets by reason.
  package var drops: [Drop] = []
  package var handshakes: UInt64?
  package var reconnects: UInt64?
  package var roams: UInt64?
  package var renegotiations: UInt64?
  package var lastError: LastError?
  /// The first of what it rests on that fails, a layer of docs/ERRORS.md; `nil` = none is known to.
  package var layer: String?
  /// How that is known, each with its age; empty while nothing is wrong.
  package var evidence: [String] = []
  package var serverCertificate = ServerCertificate()

  package init(name: String, status: TunnelStatusWord) {
    self.name = name
    self.status = status
  }

  package struct Remote: Hashable, Sendable {
    package var host: String?
    package var address: String?
    package var port: UInt16?
    package var proto: String?

    package init() {}
  }

  /// What the owner asked for at run time.
  package struct Override: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable, CaseIterable { case up, down, paused }

    package var action: Action?
    /// When a pause ends by itself.
    package var until: WallTime?
    /// One of `remotes`.
    package var remote: String?

    package init() {}
  }

  package struct Local: Hashable, Sendable {
    package var address: String?
    package var port: UInt16?
    package var uplink: String?

    package init() {}
  }

  package struct TunCounters: Hashable, Sendable {
    package var receivedBytes: UInt64?
    package var sentBytes: UInt64?
    package var receivedPackets: UInt64?
    package var sentPackets: UInt64?
    package var receiveErrors: UInt64?
    package var sendErrors: UInt64?

    package init() {}
  }

  package struct TransportCounters: Hashable, Sendable {
    package var receivedBytes: UInt64?
    package var sentBytes: UInt64?
    package var receivedPackets: UInt64?
    package var sentPackets: UInt64?
    package var lastPacket: WallTime?

    package init() {}
  }

  package struct Drop: Hashable, Sendable {
    package var reason: String
    package var count: UInt64

    package init(_ reason: String, _ count: UInt64) {
      self.reason = reason
      self.count = count
    }
  }

  package struct LastError: Hashable, Sendable {
    /// A code of docs/ERRORS.md.
    package var code: String
    /// One plain sentence.
    package var text: String
    package var since: WallTime?
    /// True when only the owner can mend it.
    package var isFatal: Bool
    /// What happens now.
    package var action: String

    package init(code: String, text: String, since: WallTime?, isFatal: Bool, action: String) {
      self.code = code
      self.text = text
      self.since = since
      self.isFatal = isFatal
      self.action = action
    }

    package init(_ fault: Fault, since: WallTime?) {
      self.init(
        code: fault.code.rawValue, text: fault.sentence, since: since,
        isFatal: fault.code.entry.blame == .configuration,
        action: fault.code.entry.action)
    }

    /// As the log has it.
    package var line: String { "\(text); \(action)" }
  }

  package struct ServerCertificate: Hashable, Sendable {
    package var subject: String?
    package var notAfter: WallTime?

    package init() {}
  }
}

package struct GatewayStatus: Hashable, Sendable {
  package var name: String
  /// The tunnel that carries its traffic now.
  package var active: String?
  /// `armed`, `open` (for a time), `off`.
  package var killSwitch: String?
  /// When what is open for a time closes by itself.
  package var openUntil: WallTime?
  /// Families of which nothing leaves the house now: `ipv4`, `ipv6`.
  package var refused: [String] = []
  package var blockedPackets: UInt64?

  package init(name: String) { self.name = name }
}

/// A device that may go out beside the tunnel for a time.
package struct PassStatus: Hashable, Sendable {
  package var address: String
  /// `wan`.
  package var via: String
  package var until: WallTime?

  package init(address: String, via: String = "wan", until: WallTime?) {
    self.address = address
    self.via = via
    self.until = until
  }
}

package struct UplinkStatus: Hashable, Sendable {
  package struct Family: Hashable, Sendable {
    package var isReachable: Bool?
    package var device: String?
    /// `wired`, `wifi`, `cellular`, `ppp`, `other`.
    package var kind: String?
    package var gateway: String?
    package var source: String?

    package init() {}

    /// - Parameter uplink: may have lost its carrier; then its device is named, and nothing is reached by it.
    package init(_ uplink: Uplink?) {
      isReachable = uplink?.isUp ?? false
      device = uplink?.device.text
      kind = uplink?.kind.rawValue
      gateway = uplink?.gateway?.description
      source = uplink?.source?.description
    }
  }

  package var ipv4 = Family()
  package var ipv6 = Family()

  package init() {}
}
