import Base
import CLinux
import Glibc
import IO
import Testing

@Suite("Runs of datagrams")
struct OffloadSocketTests {
  private static let sizes = [1400, 1400, 1400, 700, 1400, 1400, 90, 90, 90, 90, 91, 1400]

  private struct Pair: ~Copyable {
    var sender: UDPSocket
    var receiver: UDPSocket
  }

  private static func bound(_ address: IPAddress) throws(SystemFailure) -> FileDescriptor {
    try TransportSocket.make(.udp, address.family, .init(local: Endpoint(address: address, port: 0)))
  }

  private static func end(_ socket: borrowing FileDescriptor) -> Endpoint {
    var at = adit_address()
    _ = adit_local_address(socket.raw, &at)
    return Endpoint(
      address: at.family == 4 ? BurstSocketTests.loopback : BurstSocketTests.loopback6, port: at.port)
  }

  private static func pair(
    _ address: IPAddress, sending: OffloadMode, receiving: OffloadMode,
    _ prepare: (Int32) -> Void = { _ in }
  ) throws(SystemFailure) -> Pair {
    let left = try bound(address)
    let right = try bound(address)
    let (leftEnd, rightEnd) = (end(left), end(right))
    prepare(left.raw)
    return Pair(
      sender: try UDPSocket(left, peer: rightEnd, mode: sending),
      receiver: try UDPSocket(right, peer: leftEnd, mode: receiving))
  }

  /// Packets one behind the other, as the lane seals them.
  private static func packed(_ sizes: [Int]) -> Burst {
    var burst = Burst(capacity: 512 * 1024, maximumCount: 512)
    for (index, size) in sizes.enumerated() {
      let offset = burst.used
      _ = burst.append(
        room: size, packet: .init(offset: Int32(offset), length: Int32(size), verdict: .forward))
      for place in 0..<size {
        burst.base.storeBytes(
          of: UInt8(truncatingIfNeeded: index &+ place), toByteOffset: offset + place, as: UInt8.self)
      }
    }
    return burst
  }

  private static func bytes(_ sizes: [Int]) -> [[UInt8]] {
    sizes.enumerated().map { index, size in (0..<size).map { UInt8(truncatingIfNeeded: index &+ $0) } }
  }

  /// Until so many packets are there, or a second passes without one.
  private static func drain(
    _ receiver: inout UDPSocket, _ count: Int
  ) throws -> (packets: [[UInt8]], isMerged: Bool) {
    var got: [[UInt8]] = []
    var isMerged = false
    var burst = Burst(capacity: UDPSocket.fillRoom, maximumCount: 2048)
    var poller = try Poller()
    try poller.add(receiver.descriptor, for: .readable, token: 0)
    while got.count < count, try poller.wait(until: Clock.now + .seconds(5)) > 0 {
      burst.reset()
      guard case .some = receiver.fill(&burst, slot: 2048) else { continue }
      for index in 0..<burst.count {
        got.append(burst.copy(index))
        if index > 0, burst[index].offset == burst[index - 1].offset + burst[index - 1].length { isMerged = true }
      }
    }
    return (got, isMerged)
  }

  @Test(
    "what leaves comes, in order, whatever travels together",
    arguments: OffloadMode.allCases, OffloadMode.allCases)
  func modes(sending: OffloadMode, receiving: OffloadMode) throws {
    for address in [BurstSocketTests.loopback, BurstSocketTests.loopback6] {
      var pair = try Self.pair(address, sending: sending, receiving: receiving)
      let burst = Self.packed(Self.sizes)
      var cursor = FlushCursor()
      let flushed = pair.sender.flush(burst, from: &cursor)
      #expect(flushed == .done)
      let came = try Self.drain(&pair.receiver, Self.sizes.count)
      #expect(came.packets == Self.bytes(Self.sizes))
      let (offloads, others) = (pair.sender.offloads, pair.receiver.offloads)
      #expect(came.isMerged == (offloads.contains(.gso) && others.contains(.gro)))
      #expect(offloads.contains(.mmsg) == (sending != .off))
      if sending == .off || sending == .mmsg { #expect(offloads.isDisjoint(with: [.gso, .gro])) }
    }
  }

  @Test("more than a message holds goes in several")
  func long() throws {
    var pair = try Self.pair(BurstSocketTests.loopback, sending: .gso, receiving: .gso)
    let sizes = Array(repeating: 1472, count: 200) + Array(repeating: 40, count: 150)
    let burst = Self.packed(sizes)
    var cursor = FlushCursor()
    let flushed = pair.sender.flush(burst, from: &cursor)
    #expect(flushed == .done)
    let came = try Self.drain(&pair.receiver, sizes.count)
    #expect(came.packets == Self.bytes(sizes))
    let steps = pair.sender.takeSteps()
    #expect(steps == [])
  }

  @Test("merged datagrams of a stranger are dropped one by one, and none is lost for the list's size")
  func strangers() throws {
    let stranger = try Self.bound(BurstSocketTests.loopback)
    let receiver = try Self.bound(BurstSocketTests.loopback)
    var sender = try UDPSocket(stranger, peer: Self.end(receiver), mode: .gso)
    var taken = try UDPSocket(receiver, peer: Endpoint(address: BurstSocketTests.loopback, port: 1), mode: .gso)
    let burst = Self.packed(Array(repeating: 500, count: 60))
    var cursor = FlushCursor()
    let flushed = sender.flush(burst, from: &cursor)
    #expect(flushed == .done)
    // Less than two merged messages fit.
    var got = Burst(capacity: UDPSocket.mergedSlot * 2 - 1, maximumCount: UDPSocket.mostMerged)
    let filled = taken.fill(&got, slot: 2048)
    #expect(filled == .some(60))
    for index in 0..<60 {
      let packet = got[index]
      #expect(packet.verdict == .dropped && packet.length == 500)
    }
  }

  @Test("what comes one by one lies together, so that one read takes more than there are slots for merged ones")
  func singles() throws {
    var pair = try Self.pair(BurstSocketTests.loopback, sending: .mmsg, receiving: .gso)
    let sizes = (0..<60).map { 1000 + $0 }
    let out = Self.packed(sizes)
    var cursor = FlushCursor()
    let flushed = pair.sender.flush(out, from: &cursor)
    #expect(flushed == .done)
    var burst = Burst(capacity: UDPSocket.fillRoom, maximumCount: 2048)
    let filled = pair.receiver.fill(&burst, slot: 2048)
    #expect(filled == .some(60))
    for index in 0..<min(60, burst.count) {
      #expect(Int(burst[index].offset) == Int(burst[0].offset) + index * 2048)
      let bytes = burst.copy(index)
      #expect(bytes == (0..<sizes[index]).map { UInt8(truncatingIfNeeded: index &+ $0) })
    }
    let isDrained = pair.receiver.isDrained
    #expect(isDrained)
  }

  @Test("a run that is refused leaves datagram by datagram, at once")
  func refused() throws {
    // The kernel cuts nothing for a socket without checksums.
    var pair = try Self.pair(BurstSocketTests.loopback, sending: .gso, receiving: .mmsg) { raw in
      var one: Int32 = 1
      _ = setsockopt(raw, SOL_SOCKET, SO_NO_CHECK, &one, 4)
    }
    let burst = Self.packed(Self.sizes)
    var cursor = FlushCursor()
    let flushed = pair.sender.flush(burst, from: &cursor)
    #expect(flushed == .done)
    let came = try Self.drain(&pair.receiver, Self.sizes.count)
    #expect(came.packets == Self.bytes(Self.sizes))
    let steps = pair.sender.takeSteps()
    #expect(steps == [OffloadStep(.gso, .tooLarge(1400))])
    let more = pair.sender.takeSteps()
    #expect(more == [])
  }

  @Test("a device that cannot sum ends segmentation for the socket")
  func noChecksum() throws {
    var pair = try Self.pair(BurstSocketTests.loopback, sending: .gso, receiving: .mmsg)
    let isRetried = pair.sender.stepDown(EIO, segment: 1400, afterRetry: false)
    #expect(isRetried)
    let offloads = pair.sender.offloads
    #expect(offloads == [.mmsg, .gro])
    let steps = pair.sender.takeSteps()
    #expect(steps == [OffloadStep(.gso, .refused(EIO))])
    let burst = Self.packed(Self.sizes)
    var cursor = FlushCursor()
    let flushed = pair.sender.flush(burst, from: &cursor)
    #expect(flushed == .done)
    let came = try Self.drain(&pair.receiver, Self.sizes.count)
    #expect(came.packets == Self.bytes(Self.sizes))
  }

  @Test(
    "datagrams too large for the device leave alone and in fragments, smaller ones still in runs",
    .enabled(if: Namespace.isRoot))
  func narrow() throws {
    let seen = Namespace.run { () -> [Bool] in
      guard Namespace.shell("ip link set lo mtu 1300 up") == 0,
        var pair = try? Self.pair(BurstSocketTests.loopback, sending: .gso, receiving: .gso)
      else { return [] }
      var seen: [Bool] = []
      for size in [1400, 600] {
        let sizes = Array(repeating: size, count: 20)
        let burst = Self.packed(sizes)
        var cursor = FlushCursor()
        seen.append(pair.sender.flush(burst, from: &cursor) == .done)
        let came = try? Self.drain(&pair.receiver, 20)
        seen.append(came?.packets == Self.bytes(sizes))
        seen.append(came?.isMerged == (size == 600))
      }
      seen.append(pair.sender.takeSteps() == [OffloadStep(.gso, .tooLarge(1400))])
      seen.append(pair.sender.counters.tooLarge == 0)
      return seen
    }
    #expect(try #require(seen) == Array(repeating: true, count: 8))
  }

  @Test("versions of Linux that damage runs are known")
  func versions() {
    let mangling: [UInt32] = [0x07_00_00, 0x07_00_09, 0x07_01_04]
    let whole: [UInt32] = [0, 0x04_13_ff, 0x06_12_00, 0x06_ff_ff, 0x07_01_05, 0x07_02_00, 0x08_00_00]
    #expect(mangling.allSatisfy { KernelVersion.manglesSegments($0) })
    #expect(!whole.contains { KernelVersion.manglesSegments($0) })
  }

  @Test("a small machine gives a small buffer")
  func buffers() {
    #expect(TransportSocket.Options.receiveBuffer(memory: 64 << 20) == 1 << 20)
    #expect(TransportSocket.Options.receiveBuffer(memory: 128 << 20) == 4 << 20)
    #expect(TransportSocket.Options.receiveBuffer(memory: 0) == 4 << 20)
  }
}
