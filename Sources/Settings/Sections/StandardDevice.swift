package import Base

extension DeviceName {
  /// `tun-NAME`; a name that does not fit is cut and told apart from its like by a digest.
  package static func standard(for name: TunnelName) -> DeviceName {
    let prefix = "tun-"
    if let device = DeviceName(prefix + name.text) { return device }
    var digest: UInt32 = 0x811c_9dc5
    for byte in name.text.utf8 { digest = (digest ^ UInt32(byte)) &* 0x0100_0193 }
    let tail = Hex.text([UInt8(truncatingIfNeeded: digest >> 8), UInt8(truncatingIfNeeded: digest)])
    let kept = DeviceName.longest - prefix.utf8.count - tail.utf8.count
    guard let device = DeviceName(prefix + name.text.prefix(kept) + tail) else {
      preconditionFailure("a tunnel's name holds device name letters only")
    }
    return device
  }
}
