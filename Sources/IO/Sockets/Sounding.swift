package import Base
internal import CLinux

/// Asks hosts whether they are there: an echo to each, and of resolvers a question that every resolver knows.
///
/// Made for one round of questions and dropped with it; between rounds no socket stays open.
package final class Sounding {
  /// A socket of its own for each kind, so that an answer tells what was asked.
  private final class Line {
    let socket: FileDescriptor
    let isEcho: Bool
    let family: AddressFamily

    init(_ socket: consuming FileDescriptor, isEcho: Bool, family: AddressFamily) {
      self.socket = socket
      self.isEcho = isEcho
      self.family = family
    }
  }

  private static let resolverPort: UInt16 = 53
  /// Answers of strangers' echoes come too; what is more has to wait for the next look.
  private static let mostAtOnce = 64
  private static let largest = 2048

  private let token: UInt16
  private let hosts: Set<IPAddress>
  private let resolvers: Set<IPAddress>
  private var lines: [Line] = []
  private var sequence: UInt16 = 0
  private var room = [UInt8](repeating: 0, count: Sounding.largest)
  package private(set) var answered: Set<IPAddress> = []

  /// - Parameters:
  ///   - mark: `nil` = as every program's packets go.
  ///   - token: tells our questions from everybody's.
  package init(hosts: Set<IPAddress>, resolvers: Set<IPAddress>, mark: UInt32?, token: UInt16) {
    self.token = token
    // The scope of a link-local address is not known here.
    self.hosts = hosts.union(resolvers).filter { !$0.isLinkLocal && !$0.isMulticast }
    self.resolvers = resolvers
    for family in Set(self.hosts.map(\.family)) {
      add(adit_echo_socket(Int32(family.rawValue)), isEcho: true, family, mark)
    }
    for family in Set(resolvers.map(\.family)) {
      add(adit_socket(Int32(family.rawValue), Int32(ADIT_UDP)), isEcho: false, family, mark)
    }
  }

  private func add(_ opened: Int32, isEcho: Bool, _ family: AddressFamily, _ mark: UInt32?) {
    guard opened >= 0 else { return }
    let socket = FileDescriptor(owning: opened)
    if let mark, adit_socket_mark(socket.raw, mark) < 0 { return }
    lines.append(Line(socket, isEcho: isEcho, family: family))
  }

  /// To all that have not answered yet.
  package func ask() {
    sequence &+= 1
    for line in lines {
      let targets = (line.isEcho ? hosts : resolvers).filter { $0.family == line.family && !answered.contains($0) }
      let message = line.isEcho ? echo(line.family) : question
      for target in targets {
        var address = adit_address(Endpoint(address: target, port: line.isEcho ? 0 : Self.resolverPort))
        _ = unsafe adit_send_to(line.socket.raw, message, message.count, &address)
      }
    }
  }

  /// Takes the answers that have come.
  package func listen() {
    for line in lines {
      for _ in 0..<Self.mostAtOnce {
        var from = adit_address()
        let count = unsafe room.withUnsafeMutableBytes {
          unsafe adit_receive_from(line.socket.raw, $0.baseAddress, $0.count, &from)
        }
        guard count >= 0 else { break }
        guard let sender = from.endpoint, isAnswer(room[..<count], on: line) else { continue }
        let wasAsked =
          line.isEcho
          ? hosts.contains(sender.address)
          : resolvers.contains(sender.address) && sender.port == Self.resolverPort
        if wasAsked { answered.insert(sender.address) }
      }
    }
  }

  /// Asks twice and waits until all have answered.
  package func complete(at now: Instant, within limit: Duration) {
    guard var poller = try? Poller() else { return }
    for line in lines { try? poller.add(line.socket.raw, for: .readable, token: 0) }
    for deadline in [now + limit / 2, now + limit] {
      ask()
      while answered.count < hosts.count, let count = try? poller.wait(until: deadline), count > 0 { listen() }
    }
  }

  // MARK: Messages

  private func echo(_ family: AddressFamily) -> [UInt8] {
    // Of ICMPv6 the kernel makes the checksum (RFC 3542 section 3.1).
    var message: [UInt8] = [family == .ipv4 ? 8 : 128, 0, 0, 0] + big(token) + big(sequence)
    if family == .ipv4 {
      let sum = stride(from: 0, to: message.count, by: 2).reduce(UInt32(0)) {
        $0 + UInt32(message[$1]) << 8 + UInt32(message[$1 + 1])
      }
      message.replaceSubrange(2..<4, with: big(~UInt16(truncatingIfNeeded: sum & 0xffff + sum >> 16)))
    }
    return message
  }

  /// For the name servers of the root: every resolver has them, and no name of ours is told.
  private var question: [UInt8] { big(token) + [0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1] }

  private func isAnswer(_ packet: ArraySlice<UInt8>, on line: Line) -> Bool {
    guard line.isEcho else {
      return packet.count >= 12 && packet.prefix(2).elementsEqual(big(token)) && packet[2] >> 7 == 1
    }
    let header = line.family == .ipv4 ? Int(packet.first ?? 0) % 16 * 4 : 0
    guard packet.count >= header + 8 else { return false }
    let message = packet.dropFirst(header)
    return message.first == (line.family == .ipv4 ? 0 : 129) && message.dropFirst(4).prefix(2).elementsEqual(big(token))
  }

  private func big(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
}
