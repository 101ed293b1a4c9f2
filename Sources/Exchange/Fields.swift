internal import Base

// Values that stand in several messages.

extension MessageWriter {
  mutating func write(_ attempt: Attempt) { write(attempt.number) }

  mutating func write(_ address: IPAddress) {
    let bytes = address.bytes
    write(address.family.rawValue)
    for byte in bytes { write(byte) }
  }

  mutating func write(_ endpoint: Endpoint) {
    write(endpoint.address)
    write(endpoint.port)
  }

  mutating func write(_ fault: Fault) {
    write(text: fault.code.rawValue, limit: ExchangeLimit.name)
    write(optional: fault.detail) { $0.write(text: $1, limit: ExchangeLimit.text) }
  }

  mutating func write(_ time: WallTime) { write(UInt64(bitPattern: time.seconds)) }

  /// Clamped to what the other end accepts.
  mutating func write(_ span: Duration) { write(min(UInt64(max(span.wholeNanoseconds, 0)), ExchangeLimit.span)) }

  mutating func write(_ sockets: [SocketKind]) {
    write(list: sockets, limit: ExchangeLimit.sockets) { $0.write($1.rawValue) }
  }

  /// Push items: in the message while they are few, beside it otherwise.
  mutating func write(items: [String]) {
    let size = items.reduce(0) { $0 + $1.utf8.count + 2 }
    guard items.count <= ExchangeLimit.items,
      items.allSatisfy({ $0.utf8.count <= ExchangeLimit.item && !$0.unicodeScalars.contains(where: \.isControl) })
    else { return fail() }
    write(size > ExchangeLimit.inlineItems)
    guard size > ExchangeLimit.inlineItems else {
      write(list: items, limit: ExchangeLimit.items) { $0.write(text: $1, limit: ExchangeLimit.item) }
      return
    }
    var body: [UInt8] = []
    for item in items {
      body.append(bigEndian: UInt16(item.utf8.count))
      body += Array(item.utf8)
    }
    attach(SecretBytes(body), limit: ExchangeLimit.attachment)
  }
}

extension MessageReader {
  mutating func readAttempt() -> Attempt? { readUInt32().map { Attempt($0) } }

  mutating func readAddress() -> IPAddress? {
    guard let family = readByte().flatMap(AddressFamily.init(rawValue:)) else { return nil }
    var bytes: [UInt8] = []
    for _ in 0..<family.width / 8 {
      guard let byte = readByte() else { return nil }
      bytes.append(byte)
    }
    return IPAddress(bytes: bytes)
  }

  mutating func readEndpoint() -> Endpoint? {
    guard let address = readAddress(), let port = readUInt16() else { return nil }
    return Endpoint(address: address, port: port)
  }

  mutating func readFault() -> Fault? {
    guard let code = readText(limit: ExchangeLimit.name).flatMap(Fault.Code.init(rawValue:)),
      let detail = readOptional({ $0.readText(limit: ExchangeLimit.text) })
    else { return nil }
    return Fault(code, detail)
  }

  mutating func readWallTime() -> WallTime? { readUInt64().map { WallTime(seconds: Int64(bitPattern: $0)) } }

  mutating func readSpan() -> Duration? {
    readUInt64().flatMap { $0 <= ExchangeLimit.span ? .nanoseconds(Int64($0)) : nil }
  }

  mutating func readSockets() -> [SocketKind]? {
    readList(limit: ExchangeLimit.sockets) { $0.readByte().flatMap(SocketKind.init(rawValue:)) }
  }

  mutating func readFamily() -> AddressFamily? { readByte().flatMap(AddressFamily.init(rawValue:)) }

  mutating func readDataCipher() -> DataCipher? {
    readText(limit: ExchangeLimit.name).flatMap { DataCipher(rawValue: $0) }
  }

  /// What a host name may hold: letters, digits, hyphens, dots, underscores, or an address with colons.
  mutating func readHost() -> String? {
    readText(limit: ExchangeLimit.name).flatMap { text in
      text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 58, 95: true
        default: false
        }
      } ? text : nil
    }
  }

  mutating func readItems() -> [String]? {
    guard let isBeside = readBool() else { return nil }
    guard isBeside else {
      return readList(limit: ExchangeLimit.items) { $0.readText(limit: ExchangeLimit.item) }
    }
    guard let body = takeAttachment(limit: ExchangeLimit.attachment) else { return nil }
    var reader = ByteReader(body.exposed)
    var items: [String] = []
    while !reader.isAtEnd {
      guard items.count < ExchangeLimit.items, let count = reader.readUInt16(), count <= ExchangeLimit.item,
        let bytes = reader.readBytes(Int(count)), let text = Self.text(bytes)
      else { return nil }
      items.append(text)
    }
    return items
  }
}
