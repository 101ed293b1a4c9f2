import Base
import NamespaceKit
import Netlink
import Testing

func device(_ name: String) throws -> DeviceName { try #require(DeviceName(name)) }
func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }
func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

/// A namespace with two devices that are up and have a carrier: `wan0` (198.51.100.2/24, 2001:db8::2/64) and `lan0` (192.168.1.1/24).
func inHouse<Value: Sendable>(_ body: @escaping @Sendable (NetlinkSocket) throws -> Value) throws -> Value {
  try Namespace.run {
    try Namespace.shell(
      """
      set -e
      for d in wan lan; do
        ip link add ${d}0 type veth peer name ${d}1
        ip link set ${d}0 addrgenmode none; ip link set ${d}1 addrgenmode none up
      done
      ip link set wan0 up; ip link set lan0 up
      ip addr add 198.51.100.2/24 dev wan0; ip addr add 2001:db8::2/64 dev wan0 nodad
      ip addr add 192.168.1.1/24 dev lan0
      # The carrier is noticed a moment later, and IPv6 makes its addresses and routes ready only then.
      for turn in $(seq 1000); do
        [ "$(ip -br link show up | grep -cE '^(wan|lan)0@.* UP ')" = 2 ] &&
          ip -6 route show table local | grep -q '^local 2001:db8::2 dev wan0' && break
        sleep 0.01
      done
      """)
    return try body(NetlinkSocket())
  }
}

extension NetlinkSocket {
  func routes(in table: UInt32) throws -> Set<Route> { Set(try snapshot().routes.filter { $0.table == table }) }
  func ownRules() throws -> Set<Rule> { Set(try snapshot().rules.filter { $0.origin == Route.ours }) }
}
