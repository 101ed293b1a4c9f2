package import Base
internal import CLinux
internal import Glibc

// Whole bursts in and out. Neighbours of one size leave as one message that the kernel cuts, and come as one message that
// it has merged, where it can; the burst lists each datagram by itself.

extension UDPSocket {
  /// Datagrams in one message: what every kernel with UDP_SEGMENT cuts (UDP_MAX_SEGMENTS).
  private static let mostSegments = 64
  /// Of a UDP datagram over IPv4; the sum of a run too, before it is cut.
  private static let largestRun = 65_507
  /// Room for one merged message.
  package static let mergedSlot = Burst.headroom + (64 << 10)
  /// Merged messages at a time: more win nothing, and each touched one is memory.
  package static let mergedSlots = 8
  /// What a burst needs for the most that one `fill` brings, in slots of ordinary datagrams.
  package static let fillRoom = mergedSlots * mergedSlot + ADIT_BATCH * 2048
  /// Datagrams in a merged message: what a sender on the same host may have put into one (UDP_MAX_SEGMENTS since 6.9).
  package static let mostMerged = 128

  /// Finds out what the kernel can do.
  mutating func probe(_ mode: OffloadMode) {
    offloads = mode == .off ? [] : .mmsg
    guard mode == .auto || mode == .gso else { return }
    if mode == .auto, KernelVersion.manglesSegments {
      steps.append(OffloadStep(.gso, .mangled))
    } else if adit_socket_can_segment(socket.raw) == 1 {
      offloads.insert(.gso)
    } else {
      steps.append(OffloadStep(.gso, .missing(ENOPROTOOPT)))
    }
    let merges = adit_socket_merge(socket.raw, 1)
    if merges == 1 {
      offloads.insert(.gro)
    } else {
      _ = adit_socket_merge(socket.raw, 0)
      steps.append(OffloadStep(.gro, .missing(merges < 0 ? -merges : ENOPROTOOPT)))
    }
  }

  package var hasSteps: Bool { !steps.isEmpty }

  /// What was given up since the last call.
  package mutating func takeSteps() -> [OffloadStep] {
    defer { steps = [] }
    return steps
  }

  // MARK: In

  /// Reads what waits into the burst, as far as it has room: up to 64 datagrams, each with `Burst.headroom` in front. The
  /// datagrams of a message that the kernel merged lie one behind the other with nothing between, and end the burst.
  ///
  /// Foreign and truncated ones stay listed as dropped.
  /// - Parameter slot: bytes for one datagram, headroom included.
  /// - Returns: how many datagrams came.
  package mutating func fill(_ burst: inout Burst, slot: Int) -> Filled {
    precondition(slot > Burst.headroom)
    isDrained = true
    stranger = nil
    guard offloads.contains(.gro) else {
      let most = offloads.contains(.mmsg) ? ADIT_BATCH : 1
      let room = min(most, burst.maximumCount - burst.count, burst.free / slot)
      return room > 0 ? receive(room, into: &burst, slot: slot) : .nothing
    }
    // Long messages are rare where the sender sends one by one, and their room stays untouched then.
    let most = min(Self.mergedSlots, burst.free / (Self.mergedSlot + slot))
    guard let long = burst.claim(room: most * Self.mergedSlot) else { return .nothing }
    let before = burst.count
    while burst.count - before < ADIT_BATCH {
      let room = min(most, (burst.maximumCount - burst.count) / Self.mostMerged, burst.free / slot)
      guard room > 0 else { break }
      let filled = receive(room, into: &burst, slot: slot, long: long)
      guard case .some = filled else { return burst.count > before ? .some(burst.count - before) : filled }
      if isDrained || hasLong { break }
    }
    return burst.count > before ? .some(burst.count - before) : .nothing
  }

  /// One call of the kernel.
  ///
  /// - Parameter long: where messages lie that are longer than a slot, `mergedSlot` bytes for each; else they are truncated.
  private mutating func receive(_ room: Int, into burst: inout Burst, slot: Int, long: Int? = nil) -> Filled {
    let start = burst.used
    let short = slot - Burst.headroom
    var index = 0
    while index < room {
      unsafe list[index].offset = Int32(start + index * slot + Burst.headroom)
      unsafe list[index].length = Int32(short)
      index += 1
    }
    var spill = adit_spill()
    if let long {
      spill = adit_spill(
        offset: Int32(long + slot), stride: Int32(Self.mergedSlot), length: Int32(Self.mergedSlot - slot))
    }
    let came = unsafe Int(adit_batch_receive(batch, socket.raw, burst.base, list, Int32(room), spill, &peer))
    if came < 0 { return failed(Int32(-came)) }
    isDrained = came < room
    hasLong = false
    let before = burst.count
    index = 0
    while index < came {
      if let long, unsafe Int(list[index].length) > short {
        // Its rest lies there: the start goes in front of it.
        hasLong = true
        let target = long + index * Self.mergedSlot + Burst.headroom
        unsafe (burst.base + target).copyMemory(from: burst.base + Int(list[index].offset), byteCount: short)
        unsafe list[index].offset = Int32(target)
      }
      let first = burst.count
      unsafe enter(list[index], slot: slot, into: &burst)
      if unsafe list[index].is_foreign != 0, acceptsStrangers {
        var source = adit_address()
        unsafe adit_batch_source(batch, Int32(index), &source)
        stranger = Stranger(packets: first..<burst.count, address: source)
      }
      index += 1
    }
    return came > 0 ? .some(burst.count - before) : .nothing
  }

  /// Lists the datagrams of one message.
  private mutating func enter(_ message: adit_datagram, slot: Int, into burst: inout Burst) {
    var verdict = Burst.Verdict.fresh
    if message.is_foreign != 0, !acceptsStrangers {
      counters.foreign &+= 1
      verdict = .dropped
    } else if message.is_truncated != 0 {
      counters.truncated &+= 1
      verdict = .dropped
    }
    let size = message.segment == 0 ? message.length : Int32(message.segment)
    var offset = message.offset
    var left = message.length
    // An empty datagram is listed too.
    var room = slot
    repeat {
      let length = min(size, left)
      guard burst.append(room: room, packet: Burst.Packet(offset: offset, length: length, verdict: verdict)) else {
        counters.truncated &+= 1
        return
      }
      room = 0
      offset += length
      left -= length
    } while left > 0
  }

  private mutating func failed(_ number: Int32) -> Filled {
    switch number {
    case EAGAIN: return .nothing
    case EBADF, ENOTSOCK, EFAULT, EINVAL: return .broken(number)
    default:
      note(number)
      return .nothing
    }
  }

  // MARK: Out

  /// Sends every packet to forward from the cursor on. What the network refuses is counted and skipped.
  ///
  /// Packets that lie one behind the other and are of one size leave as one message, a shorter last one with them.
  package mutating func flush(_ burst: borrowing Burst, from cursor: inout FlushCursor) -> Flushed {
    var retries = 0
    while true {
      let count = gather(burst, from: cursor.index)
      guard count > 0 else {
        cursor.index = burst.count
        return .done
      }
      let sent = unsafe adit_batch_send(batch, socket.raw, burst.base, list, Int32(count), &peer)
      if sent > 0 {
        _ = advance(&cursor, past: Int(sent), in: burst)
        retries = 0
        continue
      }
      let first = unsafe list[0]
      if first.segment != 0, stepDown(-sent, segment: Int(first.segment), afterRetry: retries > 0) {
        retries = 0
        continue
      }
      switch -sent {
      case EAGAIN: return .full
      case ENOBUFS, ENOMEM: counters.noBuffers &+= advance(&cursor, past: 1, in: burst)
      case EBADF, ENOTSOCK, EFAULT, EINVAL: return .broken(-sent)
      default:
        // An ICMP error that waited takes the place of the send; the packet itself has not been tried.
        note(-sent)
        retries += 1
        if retries == 1 { continue }
        let lost = advance(&cursor, past: 1, in: burst)
        if -sent == EMSGSIZE { counters.tooLarge &+= lost } else { counters.unsent &+= lost }
      }
      retries = 0
    }
  }

  /// Puts messages into the list, from this packet on.
  private func gather(_ burst: borrowing Burst, from start: Int) -> Int {
    let most = offloads.contains(.mmsg) ? ADIT_BATCH : 1
    let segments = offloads.contains(.gso) ? Self.mostSegments : 1
    var index = start
    var count = 0
    while index < burst.count, count < most {
      let packet = burst[index]
      index += 1
      guard packet.verdict == .forward else { continue }
      var length = packet.length
      var pieces = 1
      var last = packet.length
      if Int(packet.length) <= largestSegment {
        while pieces < segments, last == packet.length, index < burst.count {
          let next = burst[index]
          guard next.verdict == .forward, next.offset == packet.offset + length, next.length <= packet.length,
            next.length > 0, Int(length) + Int(next.length) <= Self.largestRun
          else { break }
          length += next.length
          last = next.length
          pieces += 1
          index += 1
        }
      }
      unsafe list[count] = adit_datagram(
        offset: packet.offset, length: length, segment: pieces > 1 ? UInt16(packet.length) : 0, is_truncated: 0,
        is_foreign: 0)
      count += 1
    }
    return count
  }

  /// A run was refused: true when it shall be tried again, smaller or one by one.
  package mutating func stepDown(_ number: Int32, segment: Int, afterRetry: Bool) -> Bool {
    switch number {
    case EIO:
      // The device cannot sum what it would have to cut.
      offloads.remove(.gso)
      steps.append(OffloadStep(.gso, .refused(number)))
      return true
    // An ICMP error that waited looks the same, but only once.
    case EMSGSIZE where !afterRetry: return false
    case EMSGSIZE, EINVAL:
      // A datagram of that size does not fit the path whole; one by one they may be fragmented.
      if largestSegment == .max { steps.append(OffloadStep(.gso, .tooLarge(segment))) }
      largestSegment = segment - 1
      return true
    default: return false
    }
  }

  /// - Parameter messages: of the list.
  /// - Returns: how many packets that were.
  private func advance(_ cursor: inout FlushCursor, past messages: Int, in burst: borrowing Burst) -> UInt64 {
    var left = 0
    var message = 0
    while message < messages {
      let sent = unsafe list[message]
      left += sent.segment == 0 ? 1 : (Int(sent.length) + Int(sent.segment) - 1) / Int(sent.segment)
      message += 1
    }
    let packets = UInt64(left)
    while left > 0, cursor.index < burst.count {
      if burst[cursor.index].verdict == .forward { left -= 1 }
      cursor.index += 1
    }
    return packets
  }
}
