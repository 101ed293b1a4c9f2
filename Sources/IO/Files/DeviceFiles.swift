package import Base

/// What sysfs tells of network devices.
package enum DeviceFiles {
  private static let largestFile = 8192
  /// A VLAN of a bond of a bridge port: nobody stacks more.
  private static let mostLayers = 4
  private static let mostLower = 64

  /// - Parameters:
  ///   - index: of the device that is meant; a /sys of another network namespace shows others under the same name.
  ///   - folder: /sys/class/net.
  package static func kind(
    of device: DeviceName, index: Int32? = nil, in folder: String = "/sys/class/net"
  ) -> Uplink.Kind {
    if let index, line(of: folder + "/\(device)/ifindex").flatMap({ Int32($0) }) != index { return .other }
    return kind(of: device.text, in: folder, layers: mostLayers)
  }

  private static func kind(of device: String, in folder: String, layers: Int) -> Uplink.Kind {
    let place = folder + "/" + device
    guard let facts = facts(place) else { return .other }
    let own = Uplink.Kind(facts)
    guard layers > 0, let names = try? TextFile.names(in: place) else { return own }
    let lower = names.filter { $0.hasPrefix("lower_") }.prefix(mostLower).map { $0.dropFirst("lower_".count) }
    return Uplink.Kind(lower: Set(lower.map { kind(of: String($0), in: folder, layers: layers - 1) }), of: own)
  }

  private static func facts(_ place: String) -> DeviceFacts? {
    guard let hardware = line(of: place + "/type").flatMap({ Int($0) }) else { return nil }
    let event = text(of: place + "/uevent") ?? ""
    let type = event.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
    let driver = TextFile.target(ofLink: place + "/device/driver")?.split(separator: "/").last
    return DeviceFacts(
      hardware: hardware, type: type.map(String.init), driver: driver.map(String.init),
      isWireless: TextFile.exists(place + "/phy80211") || TextFile.exists(place + "/wireless"),
      isTunnel: TextFile.exists(place + "/tun_flags"))
  }

  private static func text(of path: String) -> String? {
    (try? TextFile.read(path, limit: largestFile)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  private static func line(of path: String) -> String? {
    text(of: path).map { String($0.prefix { !$0.isNewline }) }
  }
}
