import Glibc
import IO

/// Whether OpenWrt's own openvpn runs: two that hold the same tunnels would fight over routes and devices.
enum RunningOpenVPN {
  /// The process id of an openvpn in our own network; those of other network namespaces are none of our business.
  static func find() -> Int? {
    guard let ours = network(of: "self"), let names = try? TextFile.names(in: "/proc") else { return nil }
    return names.lazy.compactMap { Int($0) }.first { process in
      guard let name = try? TextFile.read("/proc/\(process)/comm", limit: 64).bytes else { return false }
      return String(decoding: name, as: UTF8.self) == "openvpn\n" && network(of: String(process)) == ours
    }
  }

  private static func network(of process: String) -> String? {
    var text = [UInt8](repeating: 0, count: 64)
    let count = unsafe text.withUnsafeMutableBytes { room in
      guard let base = room.baseAddress else { return -1 }
      return unsafe readlink("/proc/\(process)/ns/net", base.assumingMemoryBound(to: CChar.self), room.count)
    }
    return count > 0 ? String(decoding: text[..<count], as: UTF8.self) : nil
  }
}
