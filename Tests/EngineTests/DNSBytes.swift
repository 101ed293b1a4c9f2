import Base

/// Writes messages of the DNS and the packets around them, right ones and wrong ones.
enum DNSBytes {
  enum Value {
    case address(String)
    case alias(String)
    case raw(UInt16, [UInt8])
  }

  static func name(_ text: String) -> [UInt8] {
    text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  private static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

  static func question(_ question: String, identifier: UInt16 = 7, type: Int = 1) -> [UInt8] {
    word(Int(identifier)) + [1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name(question) + word(type) + [0, 1]
  }

  static func record(_ owner: [UInt8], _ value: Value, lifetime: UInt32 = 300) -> [UInt8] {
    let type: Int
    let data: [UInt8]
    switch value {
    case .address(let text):
      data = IPAddress(text)?.bytes ?? []
      type = data.count == 4 ? 1 : 28
    case .alias(let target): (type, data) = (5, name(target))
    case .raw(let number, let bytes): (type, data) = (Int(number), bytes)
    }
    var result = owner + word(type) + [0, 1]
    result.append(bigEndian: lifetime)
    return result + word(data.count) + data
  }

  /// - Parameter flags: a plain answer of a resolver.
  static func answer(
    _ question: String, identifier: UInt16 = 7, flags: Int = 0x8180, _ records: [[UInt8]]
  ) -> [UInt8] {
    word(Int(identifier)) + word(flags) + [0, 1] + word(records.count) + [0, 0, 0, 0] + name(question) + [0, 1, 0, 1]
      + records.flatMap { $0 }
  }

  /// The question's name, where every answer has it.
  static let pointer: [UInt8] = [0xc0, 12]

  // MARK: Packets

  private static func bytes(_ address: String) -> [UInt8] { IPAddress(address)?.bytes ?? [] }

  static func udp(from source: UInt16, to destination: UInt16, _ payload: [UInt8]) -> [UInt8] {
    word(Int(source)) + word(Int(destination)) + word(8 + payload.count) + [0, 0] + payload
  }

  static func ipv4(
    from source: String, to destination: String, options: Int = 0, fragment: Int = 0, _ body: [UInt8]
  ) -> [UInt8] {
    let header: [UInt8] =
      [UInt8(0x45 + options), 0] + word(20 + options * 4 + body.count) + [0, 0] + word(fragment) + [64, 17, 0, 0]
    return header + bytes(source) + bytes(destination)
      + Array(repeating: 1, count: options * 4) + body
  }

  /// - Parameter extensions: (type, bytes behind the first two), in order.
  static func ipv6(
    from source: String, to destination: String, extensions: [(UInt8, [UInt8])] = [], _ body: [UInt8]
  ) -> [UInt8] {
    var chain: [UInt8] = []
    for (index, (type, rest)) in extensions.enumerated() {
      let next = index + 1 < extensions.count ? extensions[index + 1].0 : 17
      chain += [next, type == 44 ? 0 : UInt8((rest.count + 2) / 8 - 1)] + rest
    }
    let header: [UInt8] = [0x60, 0, 0, 0] + word(chain.count + body.count) + [extensions.first?.0 ?? 17, 64]
    return header + bytes(source) + bytes(destination) + chain + body
  }
}
