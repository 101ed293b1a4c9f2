import Base
import Gateway
import Glibc
import Hands
import IO
import NamespaceKit
import Netlink
import Testing

func device(_ name: String) throws -> DeviceName { try #require(DeviceName(name)) }
func prefix(_ text: String) throws -> IPPrefix { try #require(IPPrefix(text)) }
func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

/// Where a namespace test keeps its state; gone afterwards.
struct StateDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/adit-hands-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Namespace.Failure(description: "mkdtemp: \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func remove() { _ = try? Namespace.shell("rm -rf '\(path)'") }

  /// The journal as it lies there.
  var undo: String? {
    (try? TextFile.read(path + "/undo", limit: 1 << 16)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}

/// A namespace with `wan0` and `lan0`, both up and with a carrier, and a state directory.
func inHouse<Value: Sendable>(_ body: @escaping @Sendable (StateDirectory) throws -> Value) throws -> Value {
  try Namespace.run {
    try Namespace.shell(
      """
      set -e
      for d in wan lan; do
        ip link add ${d}0 type veth peer name ${d}1
        ip link set ${d}0 addrgenmode none; ip link set ${d}1 addrgenmode none up
      done
      ip addr add 198.51.100.2/24 dev wan0; ip addr add 192.168.1.1/24 dev lan0
      ip link set wan0 up; ip link set lan0 up
      ip route add default via 198.51.100.1 dev wan0
      """)
    let directory = try StateDirectory()
    defer { directory.remove() }
    return try body(directory)
  }
}

/// Drives a plan to its end as the daemon's loop does.
func finish(_ hands: Hands, _ first: Progress) throws -> [StepFailure] {
  var progress = first
  while !progress.isDone {
    var poller = try Poller()
    try poller.add(try #require(hands.descriptor), for: .readable, token: 0)
    _ = try poller.wait(until: hands.deadline)
    progress = try hands.proceed()
  }
  return progress.failures
}

/// Everything that a tunnel with a LAN needs, one of each step.
func samplePlan() throws -> NetworkPlan {
  let tun = try device("tun-home")
  var plan = NetworkPlan()
  plan.devices = [.init(name: tun, alias: "adit:home", mtu: 1420, transmitQueueLength: 500)]
  plan.addresses = [
    InterfaceAddress(device: tun, prefix: try prefix("10.8.0.2/24")),
    InterfaceAddress(device: tun, prefix: try prefix("fd00:8::2/64")),
  ]
  for family in AddressFamily.allCases {
    plan.routes += [
      Route(destination: .everything(family), kind: .unreachable, table: 44001, metric: .max),
      Route(destination: .everything(family), device: tun, table: 44001),
    ]
    plan.rules += [
      Rule(family: family, priority: 800, action: .lookup(Route.mainTable), mark: 0xad00_0000, markMask: 0xff00_0000),
      Rule(family: family, priority: 860, action: .lookup(44001), inputDevice: try device("lan0")),
    ]
  }
  plan.routes.append(Route(destination: try prefix("10.99.0.0/16"), device: tun, table: 44129))
  plan.sysctls = [
    .init("net/ipv4/conf/tun-home/promote_secondaries", "1"), .init("net/ipv4/conf/all/src_valid_mark", "1"),
    .init("net/ipv4/ip_forward", "1"),
  ]
  plan.ruleset = ruleset("first")
  return plan
}

func ruleset(_ comment: String, more: String = "") -> String {
  RulesetDigest.sealed(
    """
    table inet adit {
    \tset pass4 { type ipv4_addr; flags timeout; }
    \tcounter blocked { }
    \(more)\
    \tchain forward {
    \t\ttype filter hook forward priority 0; policy accept;
    \t\tip saddr @pass4 return
    \t\tiifname "lan0" oifname != "tun-home" counter name "blocked" drop comment "\(comment)"
    \t}
    }

    """)
}
