import Base
import CNetlink
import Glibc

/// A conversation with the kernel about links, addresses, routes and rules, or with one of its other families.
///
/// It belongs to the network namespace in which it was made. A class: the hands change the network through the one
/// that the daemon asks for paths.
package final class NetlinkSocket {
  private let channel: NetlinkChannel
  private var sequence: UInt32 = 0

  /// Room for the acknowledgements of a whole flight; each weighs about 1 KiB of socket memory.
  private static let socketBuffer: Int32 = 1 << 20
  /// Requests sent in one go: below libnl's send buffer of 32 KiB.
  private static let flightSize = 16 << 10
  /// The kernel answers in microseconds; a lost answer must not hold up the daemon for ever.
  private static let patience = timeval(tv_sec: 5, tv_usec: 0)
  /// A dump that a change of the network interrupted is read again, but not for ever.
  private static let dumpAttempts = 5

  package convenience init() throws(NetlinkFailure) { try self.init(family: NETLINK_ROUTE) }

  init(family: Int32) throws(NetlinkFailure) {
    channel = try NetlinkChannel(
      family: family, receiveSize: NetlinkChannel.largestDump, operation: "open a netlink socket")
    channel.setOption(SOL_SOCKET, SO_RCVBUFFORCE, Self.socketBuffer)
    channel.setOption(SOL_SOCKET, SO_RCVTIMEO, Self.patience)
    // Errors in the kernel's words, without the refused request in front of them. Older kernels have neither.
    channel.setOption(SOL_NETLINK, NETLINK_CAP_ACK, Int32(1))
    channel.setOption(SOL_NETLINK, NETLINK_EXT_ACK, Int32(1))
  }

  /// By which the kernel names this socket in events.
  var port: UInt32 { channel.port }

  /// Sends one request and gives each of its replies to `body`, up to the acknowledgement.
  /// - Returns: the errno (0 = done) and the kernel's words.
  func ask(_ request: consuming Message, _ body: (Reply) -> Void) -> (code: Int32, text: String?) {
    let number = nextSequence()
    let code = channel.send(request.bytes(sequence: number))
    guard code == 0 else { return (code, nil) }
    var outcome: (code: Int32, text: String?)?
    while outcome == nil {
      let code = channel.receive { reply in
        guard reply.sequence == number, outcome == nil else { return }
        outcome = reply.outcome
        if outcome == nil { body(reply) }
      }
      if code != 0 { return (code, nil) }
    }
    return outcome ?? (EPROTO, nil)
  }

  /// Reads a whole table.
  ///
  /// A kernel without the family or the feature has nothing in it: that is an empty answer, not a failure.
  func dump<Entry>(
    _ operation: String, _ type: Int, header: some BitwiseCopyable, _ extra: (inout Message) -> Void = { _ in },
    decode: (Reply) -> [Entry]
  ) throws(NetlinkFailure) -> [Entry] {
    var entries: [Entry] = []
    for _ in 0..<Self.dumpAttempts {
      entries.removeAll(keepingCapacity: true)
      var request = Message(type, flags: NLM_F_DUMP, header: header)
      extra(&request)
      let number = nextSequence()
      var code = channel.send(request.bytes(sequence: number))
      var isDone = false
      var wasInterrupted = false
      while code == 0, !isDone {
        code = channel.receive { reply in
          guard reply.sequence == number, !isDone else { return }
          if reply.flags & Int32(NLM_F_DUMP_INTR) != 0 { wasInterrupted = true }
          if reply.type == Int(NLMSG_DONE) {
            isDone = true
          } else if let outcome = reply.outcome {
            isDone = true
            if outcome.code != EOPNOTSUPP, outcome.code != EAFNOSUPPORT { code = outcome.code }
          } else {
            entries += decode(reply)
          }
        }
      }
      guard code == 0 else { throw NetlinkFailure(operation: operation, code: code) }
      if !wasInterrupted { break }
    }
    return entries
  }

  /// Sends requests together and collects their acknowledgements: the kernel does them in order and goes on past a
  /// refused one.
  /// - Returns: for each request its errno (0 = done) and the kernel's words.
  func perform(together requests: [[UInt8]]) -> [(code: Int32, text: String?)] {
    var outcomes: [(code: Int32, text: String?)] = []
    outcomes.reserveCapacity(requests.count)
    while outcomes.count < requests.count {
      var flight: [UInt8] = []
      let start = outcomes.count
      var end = start
      let first = sequence &+ 1
      while end < requests.count, flight.isEmpty || flight.count + requests[end].count <= Self.flightSize {
        flight += Self.numbered(requests[end], nextSequence())
        end += 1
      }
      outcomes += acknowledgements(of: flight, first: first, count: end - start)
    }
    return outcomes
  }

  /// Sends a whole transaction in one go.
  ///
  /// Refused as a whole, the kernel answers for its first message; else for each of the others.
  /// - Returns: the first refusal, or 0.
  func transact(begin: [UInt8], _ requests: [[UInt8]], end: [UInt8]) -> (code: Int32, text: String?) {
    let first = sequence &+ 1
    let flight = ([begin] + requests + [end]).flatMap { Self.numbered($0, nextSequence()) }
    var refusal: (code: Int32, text: String?)?
    var missing = requests.count
    var code = channel.send(flight)
    while code == 0, missing > 0 {
      code = channel.receive { reply in
        guard reply.sequence &- first <= UInt32(requests.count + 1), let outcome = reply.outcome else { return }
        if reply.sequence == first { missing = 0 } else { missing -= 1 }
        if outcome.code != 0, refusal == nil { refusal = outcome }
      }
    }
    return refusal ?? (code, nil)
  }

  private func acknowledgements(
    of flight: [UInt8], first: UInt32, count: Int
  ) -> [(code: Int32, text: String?)] {
    var outcomes = [(code: Int32, text: String?)?](repeating: nil, count: count)
    var missing = count
    var code = channel.send(flight)
    while code == 0, missing > 0 {
      code = channel.receive { reply in
        let place = Int(reply.sequence &- first)
        guard place < count, outcomes[place] == nil, let outcome = reply.outcome else { return }
        outcomes[place] = outcome
        missing -= 1
      }
    }
    return outcomes.map { $0 ?? (code, nil) }
  }

  /// nlmsg_seq stands after the length, the type and the flags. Netlink aligns messages to 4 bytes.
  private static func numbered(_ request: [UInt8], _ number: UInt32) -> [UInt8] {
    var request = request
    request.replaceSubrange(8..<12, with: nativeBytes(number))
    return request + Array(repeating: 0, count: (4 - request.count % 4) % 4)
  }

  private func nextSequence() -> UInt32 {
    sequence &+= 1
    return sequence
  }
}
