package import Base
internal import CLinux
internal import Glibc

/// The inside end of a tunnel: IP packets behind a vnet header. Reads and writes bursts; never blocks, never allocates.
@safe package struct TunDevice: ~Copyable {
  package struct Counters: Hashable, Sendable {
    package var readBytes: UInt64 = 0
    /// As read: a super-packet is one.
    package var readPackets: UInt64 = 0
    package var writtenBytes: UInt64 = 0
    package var writtenPackets: UInt64 = 0
    /// What the kernel did not take: the device is down, the packet is none.
    package var writeErrors: UInt64 = 0
    package var readErrors: UInt64 = 0
  }

  /// How far the write of a burst came.
  package enum Written: Hashable, Sendable {
    case done
    /// The kernel does not take the super-packet at the cursor, nor any other from now on: part it and go on.
    case refused
    /// The descriptor is of no use any more; an errno.
    case broken(Int32)
  }

  package private(set) var counters = Counters()
  /// `.tso` while it may read super-packets, `.coalesce` while it takes them.
  package private(set) var offloads: Offloads = []
  /// The last read took all that waited.
  package private(set) var isDrained = false
  private var steps: [OffloadStep] = []
  private let tun: FileDescriptor
  private let parts: UnsafeMutablePointer<adit_part>

  package init(_ tun: consuming FileDescriptor) {
    unsafe parts = .allocate(capacity: Self.mostParts)
    unsafe parts.initialize(repeating: adit_part(), count: Self.mostParts)
    self.tun = tun
    _ = adit_set_nonblocking(self.tun.raw)
  }

  deinit { unsafe parts.deallocate() }

  package var descriptor: Int32 { tun.raw }

  private static let headerCount = ADIT_VNET_HEADER
  /// Segments of one super-packet, more than a coalescer joins.
  private static let mostParts = 128
  /// Room for one super-packet: 64 KiB with its header (GSO_LEGACY_MAX_SIZE), and one to tell a longer one by.
  package static let superSlot = Burst.headroom + (64 << 10) + 64

  /// Reads packets until none waits, the burst is full or `most` are there. Each has `Burst.headroom` in front.
  /// - Parameter slot: bytes for one packet, headroom included. One that may be a super-packet takes `superSlot`.
  package mutating func fill(_ burst: inout Burst, slot: Int, most: Int) -> Filled {
    let slot = offloads.contains(.tso) ? Self.superSlot : slot
    var came = 0
    isDrained = false
    while came < most, !burst.isFull, burst.free >= slot {
      let offset = burst.used + Burst.headroom
      let header = unsafe burst.base + (offset - Self.headerCount)
      let got = unsafe adit_read(tun.raw, header, slot - Burst.headroom + Self.headerCount)
      if got < 0 {
        if SystemCall.wouldBlock(got) {
          isDrained = true
          break
        }
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
        room: min(room, burst.free),
        packet: Burst.Packet(
          offset: Int32(offset), length: Int32(length), hasVnetHeader: unsafe VnetHeader.isTelling(header)))
      came += 1
    }
    return came > 0 ? .some(came) : .nothing
  }

  /// Writes every packet to forward from the cursor on, with those that are joined to it. A header that says something
  /// stands in the room in front of it; else one that says nothing goes there, which the caller has kept free.
  package mutating func flush(_ burst: borrowing Burst, from index: inout Int) -> Written {
    while index < burst.count {
      let packet = burst[index]
      guard packet.verdict == .forward else {
        index += 1
        continue
      }
      let offset = Int(packet.offset) - Self.headerCount
      precondition(offset >= 0)
      let header = unsafe burst.base + offset
      var length = Int(packet.length)
      var wrote = 0
      if packet.next < 0 {
        if !packet.hasVnetHeader {
          unsafe header.initializeMemory(as: UInt8.self, repeating: 0, count: Self.headerCount)
        }
        unsafe wrote = adit_write(tun.raw, header, length + Self.headerCount)
      } else {
        wrote = write(packet, in: burst, length: &length)
      }
      if wrote == -Int(EINVAL), packet.next >= 0 {
        // The burst may hold more of them.
        let kind: Offloads = unsafe VnetHeader(reading: header)?.segmentation == .udp ? .uso : .coalesce
        if offloads.remove(kind) != nil { steps.append(OffloadStep(kind, .refused(EINVAL))) }
        return .refused
      }
      index += 1
      if wrote < 0 {
        counters.writeErrors &+= 1
        if wrote == -Int(EBADF) || wrote == -Int(EBADFD) { return .broken(Int32(truncatingIfNeeded: -wrote)) }
        continue
      }
      counters.writtenBytes &+= UInt64(length)
      counters.writtenPackets &+= 1
    }
    return .done
  }

  /// One super-packet from where its pieces lie.
  private func write(_ head: Burst.Packet, in burst: borrowing Burst, length: inout Int) -> Int {
    let header = unsafe burst.base + (Int(head.offset) - Self.headerCount)
    unsafe parts[0] = adit_part(base: header, count: Int(head.length) + Self.headerCount)
    var count = 1
    var next = Int(head.next)
    while next >= 0 {
      precondition(count < Self.mostParts)
      let piece = burst[next]
      unsafe parts[count] = adit_part(base: burst.base + Int(piece.offset), count: Int(piece.length))
      length += Int(piece.length)
      count += 1
      next = Int(piece.next)
    }
    return unsafe adit_write_parts(tun.raw, parts, Int32(count))
  }
}

// MARK: Super-packets

extension TunDevice {
  /// Lets the kernel leave checksums and the cutting of TCP and UDP to us, and finds out whether it takes joined segments back.
  /// Whoever holds the descriptor may.
  package mutating func offload(_ mode: OffloadMode) {
    offloads = []
    steps = []
    let isWanted = mode == .auto || mode == .gso
    guard isWanted else {
      _ = adit_tun_offload(tun.raw, 0, 0)
      return
    }
    let all = adit_tun_offload(tun.raw, 1, 1)
    let result = all >= 0 ? all : adit_tun_offload(tun.raw, 1, 0)
    guard result >= 0 else {
      steps.append(OffloadStep([.tso, .coalesce], .missing(-result)))
      return
    }
    offloads.insert(.tso)
    if all >= 0 { offloads.insert(.uso) } else { steps.append(OffloadStep(.uso, .missing(-all))) }
    let tried = trySuperPacket()
    if tried == 0 {
      offloads.insert(.coalesce)
    } else {
      steps.append(OffloadStep(.coalesce, .missing(tried)))
    }
  }

  package var hasSteps: Bool { !steps.isEmpty }

  /// What was given up since the last call.
  package mutating func takeSteps() -> [OffloadStep] {
    defer { steps = [] }
    return steps
  }

  /// Writes two segments of TCP whose last is so short that Linux 6.6.44, 6.10.3 and some of their kin refuse them
  /// (commit e269d79c7d35, mended by 89add40066f9). Its IP checksum is wrong: nothing takes the packet for real.
  ///
  /// - Returns: 0 when the kernel took it, else an errno.
  private func trySuperPacket() -> Int32 {
    let segment = 100
    let payload = 161
    var packet = [UInt8](repeating: 0, count: Self.headerCount + 40 + payload)
    let header = VnetHeader(
      needsChecksum: true, segmentation: .tcpIPv4, headerLength: 40, segmentSize: UInt16(segment), checksumStart: 20,
      checksumOffset: 16)
    unsafe packet.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress { unsafe header.write(into: base) }
    }
    let ip = Self.headerCount
    packet[ip] = 0x45
    packet[ip + 3] = UInt8(40 + payload)
    packet[ip + 9] = 6
    packet[ip + 10] = 0xff
    packet[ip + 32] = 5 << 4
    let wrote = unsafe adit_write(tun.raw, packet, packet.count)
    // A device that is down says so behind the look at the header (tun_get_user).
    return wrote >= 0 || wrote == -Int(EIO) ? 0 : Int32(truncatingIfNeeded: -wrote)
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
