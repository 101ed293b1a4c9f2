import Base
import Gateway
import Hands
import IO
import NamespaceKit
import Netlink
import Settings
import Testing

@Suite("The cable of `adit prove`", .enabled(if: Namespace.isPossible))
struct ProbeDeviceTests {
  private struct Seen: Sendable {
    var link: Link?
    var heard: PacketTap.Heard?
    var gone: Link?
  }

  private static func device(_ name: String) throws -> DeviceName { try #require(DeviceName(name)) }

  /// The namespace of the calling thread.
  private static func home() throws -> String { try Namespace.shell("readlink /proc/self/ns/net") }

  @Test(
    "a namespace without a name gets the far end; packets written whole cross it; with the namespace the cable goes")
  func cable() throws {
    let seen = try Namespace.run {
      var seen = Seen()
      let near = try Self.device("adit-prove0")
      let far = try Self.device("lan0")
      let home = try Self.home()
      let netlink = try NetlinkSocket()
      do {
        let namespace = try NetworkNamespace()
        try netlink.addVeth(near, peer: far, in: namespace.descriptor)
        let alias = ProbeDevice.alias(for: try #require(TunnelName("lan")))
        try netlink.perform(.setLink(LinkChange(name: near, isUp: true, alias: alias)))
        seen.link = try netlink.link(named: near)
        let tap = try PacketTap(device: try #require(seen.link?.index))
        let raw = try namespace.inside { () throws -> RawSocket in
          let inner = try NetlinkSocket()
          try inner.perform(.setLink(LinkChange(name: far, isUp: true)))
          let own = try #require(IPPrefix("192.0.2.2/24"))
          try inner.perform(.addAddress(InterfaceAddress(device: far, prefix: own)))
          try inner.perform(.addRoute(Route(destination: .everything(.ipv4), device: far)))
          return try RawSocket(.ipv4)
        }
        // A multicast needs no neighbour: UDP without data, from port 1 to port 9.
        let packet: [UInt8] =
          [0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 192, 0, 2, 2, 224, 0, 0, 9] + [0, 1, 0, 9, 0, 8, 0, 0]
        try raw.send(packet, to: try #require(IPAddress("224.0.0.9")))
        var poller = try Poller()
        try poller.add(tap.descriptor, for: .readable, token: 0)
        let deadline = Clock.now + .seconds(5)
        while seen.heard == nil, Clock.now < deadline {
          _ = try poller.wait(until: deadline)
          while let heard = tap.next() {
            if heard.packet.suffix(8) == packet.suffix(8) { seen.heard = heard }
          }
        }
        guard try Self.home() == home else { throw Namespace.Failure(description: "the thread came home elsewhere") }
      }
      // The kernel takes a namespace apart a moment after its last user is gone.
      for _ in 0..<500 {
        seen.gone = try netlink.link(named: near)
        if seen.gone == nil { break }
        try Namespace.shell("sleep 0.01")
      }
      return seen
    }
    #expect(seen.link?.kind == "veth")
    #expect(seen.link?.alias == "adit-prove:lan")
    #expect(seen.link.map(ProbeDevice.isOurs) == true)
    #expect(seen.heard?.isOutgoing == false)
    #expect(seen.gone == nil)
  }

  @Test("a sweep removes one that was left, and no other cable")
  func sweep() throws {
    let (removed, stays) = try Namespace.run {
      try Namespace.shell(
        """
        ip link add adit-prove3 type veth peer name far3 && ip link set adit-prove3 alias adit-prove:lan
        ip link add mine type veth peer name yours && ip link set mine alias adit-probably
        """)
      let left = try Hands(stateDirectory: "/tmp/adit-prove-none").sweep(band: 800...899)
      return (left.devices.map(\.text), try NetlinkSocket().link(named: try Self.device("mine")) != nil)
    }
    #expect(removed == ["adit-prove3"])
    #expect(stays)
  }
}
