package import Base

/// What a question or an answer of the DNS (RFC 1035) says, as far as policies by domain need it.
///
/// A stranger wrote it. Any bytes give a message or `nil`: a name ends because its pointers only go backwards and its
/// length is bounded, the chain of aliases because its steps are counted, the list because its records are.
package struct DNSMessage: Hashable {
  package struct Address: Hashable {
    package var address: IPAddress
    /// Seconds; the least of the address's own and of the aliases that lead to it.
    package var lifetime: UInt32
  }

  package var identifier: UInt16
  package var isAnswer: Bool
  /// Dotted, lower-case; letters, digits, hyphens and underscores only.
  package var question: String
  /// Of the question, or of an alias that it leads to. Empty for a question, and for an answer without any.
  package var addresses: [Address] = []

  /// A datagram of 64 KiB could hold 4,000; no honest answer comes near this.
  private static let mostRecords = 256
  private static let mostAliases = 16
  /// Of 255 on the wire, without the first length and the end.
  static let longestName = 253
  package static let mostPointers = 32

  private enum RecordType {
    static let ipv4: UInt16 = 1
    static let alias: UInt16 = 5
    static let ipv6: UInt16 = 28
  }

  private struct Record {
    var owner: [UInt8]
    var lifetime: UInt32
    var value: Value

    enum Value {
      case address(IPAddress)
      case alias([UInt8])
    }
  }

  package init?(_ message: Span<UInt8>) {
    guard message.count > 12 else { return nil }
    let flags = message.word(at: 2)
    // An ordinary query, without an error, for one name.
    guard flags & 0x7800 == 0, flags & 0x000f == 0, message.word(at: 4) == 1 else { return nil }
    identifier = message.word(at: 0)
    isAnswer = flags & 0x8000 != 0
    var reader = DNSReader(offset: 12)
    guard let name = reader.readName(message), !name.isEmpty, reader.offset + 4 <= message.count,
      message.word(at: reader.offset + 2) == 1
    else { return nil }
    reader.offset += 4
    question = String(decoding: name, as: UTF8.self)
    guard isAnswer else { return }
    let count = min(Int(message.word(at: 6)), Self.mostRecords)
    addresses = Self.addresses(of: name, in: Self.records(message, count, &reader))
  }

  /// A list that breaks off gives what stands before the break: a server may cut an answer anywhere (the TC flag).
  private static func records(_ message: Span<UInt8>, _ count: Int, _ reader: inout DNSReader) -> [Record] {
    var records: [Record] = []
    for _ in 0..<count {
      guard let owner = reader.readName(message), reader.offset + 10 <= message.count else { break }
      let head = reader.offset
      let length = Int(message.word(at: head + 8))
      let data = head + 10
      guard data + length <= message.count else { break }
      reader.offset = data + length
      guard message.word(at: head + 2) == 1 else { continue }
      // With the highest bit it counts as none (RFC 2181).
      let written = message.long(at: head + 4)
      let lifetime = written >> 31 == 0 ? written : 0
      let value: Record.Value
      switch message.word(at: head) {
      case RecordType.ipv4 where length == 4:
        value = .address(.v4(IPv4Address(message[data], message[data + 1], message[data + 2], message[data + 3])))
      case RecordType.ipv6 where length == 16:
        value = .address(.v6(IPv6Address(high: message.quad(at: data), low: message.quad(at: data + 8))))
      case RecordType.alias:
        var inside = DNSReader(offset: data)
        guard let target = inside.readName(message), inside.offset == data + length else { continue }
        value = .alias(target)
      default: continue
      }
      records.append(Record(owner: owner, lifetime: lifetime, value: value))
    }
    return records
  }

  /// Aliases may stand in any order; addresses of names that the question does not lead to are not its own.
  private static func addresses(of question: [UInt8], in records: [Record]) -> [Address] {
    var name = question
    var least = UInt32.max
    var result: [Address] = []
    for _ in 0...mostAliases {
      var next: [UInt8]?
      for record in records where record.owner == name {
        switch record.value {
        case .address(let address):
          let found = Address(address: address, lifetime: min(least, record.lifetime))
          if !result.contains(where: { $0.address == address }) { result.append(found) }
        case .alias(let target):
          if next == nil {
            next = target
            least = min(least, record.lifetime)
          }
        }
      }
      guard let next else { break }
      name = next
    }
    return result
  }
}

/// Reads names of a DNS message, compressed or not.
struct DNSReader {
  var offset: Int

  init(offset: Int) { self.offset = offset }

  /// - Returns: dotted and lower-case, empty for the root; `nil` when it is cut, too long or no host name.
  mutating func readName(_ message: Span<UInt8>) -> [UInt8]? {
    var name: [UInt8] = []
    var position = offset
    // A pointer must lead to before everything that was read of this name: so there is no loop.
    var floor = offset
    var jumps = 0
    while true {
      guard position < message.count else { return nil }
      let length = Int(message[position])
      switch length {
      case 0:
        if jumps == 0 { offset = position + 1 }
        return name
      case 1...63:
        let room = DNSMessage.longestName - name.count - (name.isEmpty ? 0 : 1)
        guard position + 1 + length <= message.count, length <= room else { return nil }
        if !name.isEmpty { name.append(UInt8(ascii: ".")) }
        for index in position + 1...position + length {
          guard let byte = Self.nameByte(message[index]) else { return nil }
          name.append(byte)
        }
        position += 1 + length
      case 0xc0...:
        guard position + 2 <= message.count else { return nil }
        let target = Int(message.word(at: position) & 0x3fff)
        guard target < floor, jumps < DNSMessage.mostPointers else { return nil }
        if jumps == 0 { offset = position + 2 }
        jumps += 1
        floor = target
        position = target
      default: return nil
      }
    }
  }

  /// Lower-case; `nil` for what no host name holds.
  private static func nameByte(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 65...90: byte + 32
    case 97...122, 48...57, 45, 95: byte
    default: nil
    }
  }
}
