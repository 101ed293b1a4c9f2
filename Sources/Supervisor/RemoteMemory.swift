package import Base

/// What is remembered of servers and their addresses: who failed how often, and who was good. It fades, and forgets nobody
/// for good: a server that failed is tried later, never not at all.
package struct RemoteMemory: Hashable, Sendable {
  /// One failure is forgiven in this time.
  package static let forgiveness: Duration = .seconds(600)
  /// More failures than this make no difference.
  package static let mostFailures = 6
  /// A server of many changing addresses fills no memory.
  private static let mostAddresses = 128

  private struct Record: Hashable, Sendable {
    var failures: Int
    var last: Instant

    func left(at now: Instant) -> Int {
      let forgiven = (now - last).wholeNanoseconds / RemoteMemory.forgiveness.wholeNanoseconds
      return max(0, failures - Int(clamping: forgiven))
    }
  }

  private var remotes: [Int: Record] = [:]
  private var addresses: [IPAddress: Record] = [:]
  /// By remote: the address that was good last.
  private var good: [Int: IPAddress] = [:]

  package init() {}

  package mutating func failed(_ remote: Int, at now: Instant) {
    let left = remotes[remote]?.left(at: now) ?? 0
    remotes[remote] = Record(failures: min(left + 1, Self.mostFailures), last: now)
  }

  package mutating func failed(_ address: IPAddress, at now: Instant) {
    if addresses.count >= Self.mostAddresses, let oldest = addresses.min(by: { $0.value.last < $1.value.last }) {
      addresses[oldest.key] = nil
    }
    let left = addresses[address]?.left(at: now) ?? 0
    addresses[address] = Record(failures: min(left + 1, Self.mostFailures), last: now)
  }

  package mutating func succeeded(_ remote: Int, _ address: IPAddress) {
    remotes[remote] = nil
    addresses[address] = nil
    good[remote] = address
  }

  package func failures(of remote: Int, at now: Instant) -> Int { remotes[remote]?.left(at: now) ?? 0 }

  /// Positions in the order to try them: one failure may be chance, from the second on a server comes later.
  package func sorted(_ order: [Int], at now: Instant) -> [Int] {
    order.enumerated()
      .map { (place: $0.offset, remote: $0.element, rank: failures(of: $0.element, at: now) / 2) }
      .sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }
      .map(\.remote)
  }

  /// The addresses of one name in the order to try them (RFC 8305 without the race, for an engine makes one session at a
  /// time): families in turn, the good one first, those that failed and those whose family has no way later.
  ///
  /// - Parameter ways: families with a way; `nil` = not known.
  package func sorted(
    _ found: [IPAddress], of remote: Int, ways: Set<AddressFamily>?, at now: Instant
  ) -> [IPAddress] {
    let first = good[remote]?.family ?? found.first?.family
    let failed = found.filter { addresses[$0].map { $0.left(at: now) > 0 } ?? false }
    var inTurn =
      Self.inTurn(found.filter { !failed.contains($0) }, first: first) + Self.inTurn(failed, first: first)
    if let known = good[remote], !failed.contains(known), let place = inTurn.firstIndex(of: known) {
      inTurn.insert(inTurn.remove(at: place), at: 0)
    }
    guard let ways else { return inTurn }
    return inTurn.filter { ways.contains($0.family) } + inTurn.filter { !ways.contains($0.family) }
  }

  private static func inTurn(_ addresses: [IPAddress], first: AddressFamily?) -> [IPAddress] {
    var left = (addresses.filter { $0.family == first }[...], addresses.filter { $0.family != first }[...])
    var result: [IPAddress] = []
    while !left.0.isEmpty || !left.1.isEmpty {
      if let address = left.0.popFirst() { result.append(address) }
      if let address = left.1.popFirst() { result.append(address) }
    }
    return result
  }
}
