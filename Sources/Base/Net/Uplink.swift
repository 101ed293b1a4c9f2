/// The way out as it is now: the path of our own packets, and what kind of line it takes.
package struct Uplink: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case wired, wifi, cellular, ppp, other
  }

  package var path: Path
  package var kind: Kind
  /// The device is up and has a carrier. Without one the kernel still names the path, and packets go nowhere.
  package var isUp: Bool

  package init(path: Path, kind: Kind, isUp: Bool = true) {
    self.path = path
    self.kind = kind
    self.isUp = isUp
  }

  package var device: DeviceName { path.device }
  package var gateway: IPAddress? { path.gateway }
  package var source: IPAddress? { path.source }
}

/// The kernel's answer to the one question: how does a packet of ours reach that address now?
package struct PathAnswer: Hashable, Sendable {
  package var path: Path
  /// Of the device: another one may have taken its name.
  package var index: Int32
  package var isUp: Bool
  /// How often the device got or lost its carrier: two looks may both have found it up, with a gap in between.
  package var carrierChanges: UInt32

  package init(path: Path, index: Int32 = 0, isUp: Bool = true, carrierChanges: UInt32 = 0) {
    self.path = path
    self.index = index
    self.isUp = isUp
    self.carrierChanges = carrierChanges
  }
}

/// What tells the kind of a device, as sysfs shows it.
package struct DeviceFacts: Hashable, Sendable {
  /// ARPHRD_* of linux/if_arp.h.
  package var hardware: Int
  /// DEVTYPE of the device's uevent.
  package var type: String?
  package var driver: String?
  /// It has a radio of cfg80211.
  package var isWireless: Bool
  /// A tun or tap device: it ends in a program.
  package var isTunnel: Bool

  package init(
    hardware: Int, type: String? = nil, driver: String? = nil, isWireless: Bool = false, isTunnel: Bool = false
  ) {
    self.hardware = hardware
    self.type = type
    self.driver = driver
    self.isWireless = isWireless
    self.isTunnel = isTunnel
  }
}

extension Uplink.Kind {
  /// ARPHRD_ETHER, ARPHRD_PPP, ARPHRD_RAWIP of linux/if_arp.h.
  private static let ethernet = 1
  private static let pointToPoint = 512
  private static let rawIP = 519
  /// Modems that do not say so by their DEVTYPE.
  private static let modemDrivers: Set<String> = [
    "qmi_wwan", "qmi_wwan_q", "cdc_mbim", "huawei_cdc_ncm", "sierra_net", "hso", "mhi_net", "mhi_wwan_mbim", "iosm",
    "mtk_t7xx", "GobiNet", "rmnet", "bam-dmux", "ipa",
  ]

  package init(_ facts: DeviceFacts) {
    self =
      if facts.isWireless || facts.type == "wlan" {
        .wifi
      } else if facts.type == "wwan" || facts.hardware == Self.rawIP
        || facts.driver.map(Self.modemDrivers.contains) ?? false
      {
        .cellular
      } else if facts.hardware == Self.pointToPoint {
        .ppp
      } else if facts.hardware == Self.ethernet, !facts.isTunnel {
        .wired
      } else {
        .other
      }
  }

  /// Of a bridge, a bond or a VLAN: what is below it, where that is of one kind.
  package init(lower kinds: Set<Uplink.Kind>, of own: Uplink.Kind) {
    self = kinds.count == 1 ? kinds.first ?? own : own
  }
}
