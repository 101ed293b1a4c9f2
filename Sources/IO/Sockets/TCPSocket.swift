package import Base
internal import CLinux
internal import Glibc

/// A TCP connection that never blocks: bytes into a `StreamBuffer`, bursts of whole records out.
@safe package struct TCPSocket: ~Copyable {
  package enum Connecting: Hashable, Sendable {
    case connected
    /// Watch for writable, then ask `connectResult`.
    case underWay
    /// An errno.
    case failed(Int32)
  }

  private let socket: FileDescriptor
  private let batch: OpaquePointer
  private let list: UnsafeMutablePointer<adit_datagram>

  private let batches: Bool
  /// The last read took all that waited.
  package private(set) var isDrained = false

  package init(_ socket: consuming FileDescriptor, mode: OffloadMode = .mmsg) throws(SystemFailure) {
    guard let batch = unsafe adit_batch_create() else { throw SystemFailure("allocate", ENOMEM) }
    unsafe self.batch = batch
    unsafe list = .allocate(capacity: ADIT_BATCH)
    unsafe list.initialize(repeating: adit_datagram(), count: ADIT_BATCH)
    self.socket = socket
    batches = mode != .off
    _ = adit_set_nonblocking(self.socket.raw)
  }

  deinit {
    unsafe adit_batch_free(batch)
    unsafe list.deallocate()
  }

  package var descriptor: Int32 { socket.raw }
  package var offloads: Offloads { batches ? .mmsg : [] }

  package var localEndpoint: Endpoint? {
    var address = adit_address()
    return unsafe adit_local_address(socket.raw, &address) < 0 ? nil : address.endpoint
  }

  package func connect(to peer: Endpoint) -> Connecting {
    _ = adit_socket_no_delay(socket.raw)
    // More than this unsent in the kernel only makes old packets older (bufferbloat inside the tunnel).
    _ = adit_socket_unsent_limit(socket.raw, 128 * 1024)
    var address = adit_address(peer)
    let result = unsafe adit_connect(socket.raw, &address)
    if result == 0 { return .connected }
    return result == -EINPROGRESS ? .underWay : .failed(-result)
  }

  /// How the connection under way came out; ask once it is writable. 0 = connected, else an errno.
  package func connectResult() -> Int32 { adit_socket_error(socket.raw) }

  package mutating func fill(_ stream: inout StreamBuffer) -> Filled {
    let room = stream.room
    guard room > 0 else { return .nothing }
    let got = unsafe adit_stream_receive(socket.raw, stream.end, room)
    isDrained = got < room
    if got > 0 {
      stream.grew(by: got)
      return .some(got)
    }
    if got == 0 { return .ended }
    return SystemCall.wouldBlock(got) ? .nothing : .broken(Int32(truncatingIfNeeded: -got))
  }

  /// Writes every packet to forward from the cursor on, end to end.
  package mutating func flush(_ burst: borrowing Burst, from cursor: inout FlushCursor) -> Flushed {
    while true {
      while cursor.index < burst.count, burst[cursor.index].verdict != .forward { cursor.index += 1 }
      let count = gather(burst, from: cursor.index)
      guard count > 0 else { return .done }
      let wrote = unsafe adit_batch_write(batch, socket.raw, burst.base, list, Int32(count), cursor.skip)
      if wrote < 0 { return SystemCall.wouldBlock(wrote) ? .full : .broken(Int32(truncatingIfNeeded: -wrote)) }
      advance(&cursor, by: wrote, in: burst)
    }
  }

  /// Puts stretches of bytes into the list, from this packet on: neighbours that lie one behind the other are one.
  private func gather(_ burst: borrowing Burst, from start: Int) -> Int {
    let most = batches ? ADIT_BATCH : 1
    var index = start
    var count = 0
    while index < burst.count {
      let packet = burst[index]
      index += 1
      guard packet.verdict == .forward else { continue }
      if count > 0, batches, unsafe list[count - 1].offset + list[count - 1].length == packet.offset {
        unsafe list[count - 1].length += packet.length
        continue
      }
      guard count < most else { break }
      unsafe list[count] = adit_datagram(
        offset: packet.offset, length: packet.length, segment: 0, is_truncated: 0, is_foreign: 0)
      count += 1
    }
    return count
  }

  /// Writes only the rest of the packet that the cursor stands in, so that something else may go between.
  package mutating func flushStarted(_ burst: borrowing Burst, from cursor: inout FlushCursor) -> Flushed {
    while cursor.isInsidePacket {
      let packet = burst[cursor.index]
      unsafe list[0] = adit_datagram(
        offset: packet.offset, length: packet.length, segment: 0, is_truncated: 0, is_foreign: 0)
      let wrote = unsafe adit_batch_write(batch, socket.raw, burst.base, list, 1, cursor.skip)
      if wrote < 0 { return SystemCall.wouldBlock(wrote) ? .full : .broken(Int32(truncatingIfNeeded: -wrote)) }
      advance(&cursor, by: wrote, in: burst)
    }
    return .done
  }

  /// Writes bytes from `offset` on and moves it.
  package func send(_ bytes: [UInt8], from offset: inout Int) -> Flushed {
    while offset < bytes.count {
      let wrote = unsafe bytes.withUnsafeBytes { buffer in
        unsafe buffer.baseAddress.map { unsafe adit_stream_send(socket.raw, $0 + offset, buffer.count - offset) } ?? 0
      }
      if wrote < 0 { return SystemCall.wouldBlock(wrote) ? .full : .broken(Int32(truncatingIfNeeded: -wrote)) }
      offset += wrote
    }
    return .done
  }

  private func advance(_ cursor: inout FlushCursor, by bytes: Int, in burst: borrowing Burst) {
    var left = bytes
    while left > 0, cursor.index < burst.count {
      let packet = burst[cursor.index]
      guard packet.verdict == .forward else {
        cursor.index += 1
        continue
      }
      let rest = Int(packet.length) - cursor.skip
      if left < rest {
        cursor.skip += left
        return
      }
      left -= rest
      cursor.skip = 0
      cursor.index += 1
    }
  }
}
