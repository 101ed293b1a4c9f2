import Base
import CLinux
import Glibc
import IO
import Testing

@Suite("Asking whether a host is there", .enabled(if: Namespace.isRoot))
struct SoundingTests {
  private static let loopback = IPAddress.v4(IPv4Address(127, 0, 0, 1))
  private static let loopback6 = IPAddress.v6(IPv6Address(high: 0, low: 1))
  private static let nobody = IPAddress.v4(IPv4Address(192, 0, 2, 1))

  @Test("An echo is answered by who is there, by both families, and by nobody else")
  func echoes() throws {
    let answered = Namespace.run {
      let sounding = Sounding(
        hosts: [Self.loopback, Self.loopback6, Self.nobody], resolvers: [], mark: 0xad00_0000, token: 0x1234)
      sounding.complete(at: Clock.now, within: .milliseconds(400))
      return sounding.answered
    }
    #expect(answered == [Self.loopback, Self.loopback6])
  }

  @Test("The answer to another's echo is none of ours")
  func strangers() throws {
    let answered = Namespace.run {
      let (one, other) = (
        Sounding(hosts: [Self.loopback], resolvers: [], mark: nil, token: 1),
        Sounding(hosts: [Self.loopback], resolvers: [], mark: nil, token: 2)
      )
      one.ask()
      other.listen()
      one.complete(at: Clock.now, within: .seconds(2))
      return [one.answered, other.answered]
    }
    #expect(answered == [[Self.loopback], []])
  }

  @Test("A resolver that drops echoes is heard by its answer, whatever it says")
  func resolver() throws {
    let answered = Namespace.run { () -> Set<IPAddress> in
      guard Namespace.shell("echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all") == 0,
        let socket = try? TransportSocket.make(
          .udp, .ipv4, TransportSocket.Options(local: Endpoint(address: Self.loopback, port: 53))),
        let sounding = Optional(Sounding(hosts: [], resolvers: [Self.loopback], mark: nil, token: 0x4321))
      else { return [] }
      sounding.ask()
      var (from, room) = (adit_address(), [UInt8](repeating: 0, count: 512))
      let count = adit_receive_from(socket.raw, &room, room.count, &from)
      guard count == 17 else { return [] }
      // REFUSED.
      room[2] |= 0x80
      room[3] = 5
      _ = adit_send_to(socket.raw, room, count, &from)
      sounding.complete(at: Clock.now, within: .milliseconds(400))
      return sounding.answered
    }
    #expect(answered == [Self.loopback])
  }
}
