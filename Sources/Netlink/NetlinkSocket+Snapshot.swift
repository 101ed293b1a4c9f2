package import Base
import Glibc

extension NetlinkSocket {
  /// The whole network as it is now: links, addresses, routes of all tables and rules, of both families.
  package func snapshot() throws(NetlinkFailure) -> Snapshot {
    let links = try links()
    let devices = Dictionary(links.map { ($0.index, $0.name) }, uniquingKeysWith: { first, _ in first })
    return Snapshot(
      links: links, addresses: try addresses(devices: devices),
      routes: try routes(.ipv4, devices: devices) + routes(.ipv6, devices: devices),
      rules: try rules(.ipv4) + rules(.ipv6), hasIPv6: Self.hasIPv6)
  }

  /// The file is missing when the kernel has no IPv6 (`ipv6.disable=1`, or not built in). It shows the namespace of the
  /// calling thread.
  private static var hasIPv6: Bool {
    let descriptor = unsafe open("/proc/sys/net/ipv6/conf/all/disable_ipv6", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var byte = UInt8(0)
    return unsafe read(descriptor, &byte, 1) == 1 && byte == UInt8(ascii: "0")
  }
}
