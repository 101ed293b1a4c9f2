/// How far packets may travel together between the kernel and us: `option offload`.
package enum OffloadMode: String, Hashable, Sendable, CaseIterable {
  /// All that works here.
  case auto
  /// One packet a system call, and one segment a packet.
  case off
  /// All that the kernel takes, also where it is known to mangle it.
  case gso
  /// Many packets a system call, none of them merged.
  case mmsg
}

/// What of it is in use.
package struct Offloads: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package init() { rawValue = 0 }

  /// Many packets a system call.
  package static let mmsg = Offloads(rawValue: 1)
  /// The kernel cuts runs of datagrams that we send (UDP_SEGMENT).
  package static let gso = Offloads(rawValue: 2)
  /// It gives us runs of datagrams merged (UDP_GRO).
  package static let gro = Offloads(rawValue: 4)
  /// The tun gives TCP uncut (TUN_F_TSO4, TUN_F_TSO6).
  package static let tso = Offloads(rawValue: 8)
  /// What belongs together enters the tun joined: TCP segments, with `uso` datagrams too.
  package static let coalesce = Offloads(rawValue: 16)
  /// The tun gives and takes UDP uncut (TUN_F_USO4, TUN_F_USO6; Linux 6.2).
  package static let uso = Offloads(rawValue: 32)

  package static let all: Offloads = [.mmsg, .gso, .gro, .tso, .coalesce, .uso]

  // Every burst asks, and what OptionSet brings is generic code when it is called from another room.
  package func contains(_ other: Offloads) -> Bool { other.rawValue & ~rawValue == 0 }
  package func union(_ other: Offloads) -> Offloads { Offloads(rawValue: rawValue | other.rawValue) }
  package static func == (left: Offloads, right: Offloads) -> Bool { left.rawValue == right.rawValue }

  /// `gso+gro+tso`, `mmsg`, `off`. Many packets a call go without saying where packets are merged.
  package var text: String {
    let names: [(Offloads, String)] = [
      (.gso, "gso"), (.gro, "gro"), (.tso, "tso"), (.uso, "uso"), (.coalesce, "coalesce"),
    ]
    let merged = names.filter { contains($0.0) }.map(\.1).joined(separator: "+")
    return merged.isEmpty ? contains(.mmsg) ? "mmsg" : "off" : merged
  }
}
