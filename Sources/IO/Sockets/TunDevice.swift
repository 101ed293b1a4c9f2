package import Base
internal import CLinux
internal import Glibc

/// The inside end of a tunnel: IP packets behind a vnet header. Reads and writes bursts; never blocks, never allocates.
package struct TunDevice: ~Copyable {
  package struct Counters: Hashable, Sendable {
    package var readBytes: UInt64 = 0
    package var readPackets: UInt64 = 0
    package var writtenBytes: UInt64 = 0
    package var writtenPackets: UInt64 = 0
    /// What the kernel did not take: the device is down, the packet is none.
    package var writeErrors: UInt64 = 0
    package var readErrors: UInt64 = 0
  }

  package private(set) var counters = Counters()
  private let tun: FileDescriptor

  package init(_ tun: consuming FileDescriptor) {
    self.tun = tun
    _ = adit_set_nonblocking(self.tun.raw)
  }

  package var descriptor: Int32 { tun.raw }

  private static let headerCount = ADIT_VNET_HEADER

  /// Reads packets until none waits, the burst is full or `most` are there. Each has `Burst.headroom` in front.
  /// - Parameter slot: bytes for one packet, headroom included.
  package mutating func fill(_ burst: inout Burst, slot: Int, most: Int) -> Filled {
    var came = 0
    while came < most, !burst.isFull, burst.free >= slot {
      let offset = burst.used + Burst.headroom
      let got = unsafe adit_read(
        tun.raw, burst.base + (offset - Self.headerCount), slot - Burst.headroom + Self.headerCount)
      if got < 0 {
        if SystemCall.wouldBlock(got) { break }
        counters.readErrors &+= 1
        return came > 0 ? .some(came) : .broken(Int32(truncatingIfNeeded: -got))
      }
      let length = got - Self.headerCount
      guard length > 0 else {
        // A socket in place of a device reads nothing when its other side is gone.
        return came > 0 ? .some(came) : .ended
      }
      counters.readBytes &+= UInt64(length)
      counters.readPackets &+= 1
      // Packed, not one slot each: what is touched stays in the cache.
      let room = Burst.headroom + (length + 63) & ~63
      _ = burst.append(
        room: min(room, burst.free), packet: Burst.Packet(offset: Int32(offset), length: Int32(length)))
      came += 1
    }
    return came > 0 ? .some(came) : .nothing
  }

  /// Writes every packet to forward. The header goes into the room in front of it, which the caller has kept free.
  package mutating func flush(_ burst: borrowing Burst) -> Flushed {
    var index = 0
    while index < burst.count {
      let packet = burst[index]
      index += 1
      guard packet.verdict == .forward else { continue }
      let offset = Int(packet.offset) - Self.headerCount
      precondition(offset >= 0)
      let header = unsafe burst.base + offset
      unsafe header.initializeMemory(as: UInt8.self, repeating: 0, count: Self.headerCount)
      let wrote = unsafe adit_write(tun.raw, header, Int(packet.length) + Self.headerCount)
      if wrote < 0 {
        counters.writeErrors &+= 1
        if wrote == -Int(EBADF) || wrote == -Int(EBADFD) { return .broken(Int32(truncatingIfNeeded: -wrote)) }
        continue
      }
      counters.writtenBytes &+= UInt64(packet.length)
      counters.writtenPackets &+= 1
    }
    return .done
  }
}

extension TunDevice {
  /// Makes the device, or opens one that is there and free, with a vnet header and no offloads. Root's work.
  ///
  /// - Parameter isPersistent: it outlives its last descriptor.
  /// - Throws: EBUSY while another process holds it; ENOENT without the tun module.
  package static func open(_ name: DeviceName, isPersistent: Bool) throws(SystemFailure) -> FileDescriptor {
    let opened = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { actual in
      unsafe adit_tun_open(name.text, actual.baseAddress)
    }
    let tun = FileDescriptor(owning: try SystemCall.check(opened, "open tun \(name)"))
    try SystemCall.done(adit_tun_persist(tun.raw, isPersistent ? 1 : 0), "TUNSETPERSIST \(name)")
    return tun
  }

  /// Lets the device outlive its last descriptor, from now on: after it was given the alias by which a successor knows it.
  package static func persist(_ tun: borrowing FileDescriptor) throws(SystemFailure) {
    try SystemCall.done(adit_tun_persist(tun.raw, 1), "TUNSETPERSIST")
  }
}
