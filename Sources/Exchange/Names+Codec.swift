internal import Base
internal import Profile

extension WatchOrder {
  func write(to writer: inout MessageWriter) {
    guard Self.fitting(domains).count == domains.count else { return writer.fail() }
    writer.write(generation)
    var body: [UInt8] = []
    for domain in domains {
      body.append(UInt8(domain.text.utf8.count))
      body += Array(domain.text.utf8)
    }
    writer.attach(SecretBytes(body), limit: ExchangeLimit.attachment)
  }

  init?(_ reader: inout MessageReader) {
    guard let generation = reader.readUInt32(), let body = reader.takeAttachment(limit: ExchangeLimit.attachment) else {
      return nil
    }
    var inside = ByteReader(body.exposed)
    var domains: [DomainName] = []
    while !inside.isAtEnd {
      guard domains.count < ExchangeLimit.domains, let count = inside.readByte(),
        let bytes = inside.readBytes(Int(count)), let text = MessageReader.text(bytes), let domain = DomainName(text)
      else { return nil }
      domains.append(domain)
    }
    self.init(generation: generation, domains: domains)
  }
}

extension NamesReport {
  func write(to writer: inout MessageWriter) {
    writer.write(generation)
    writer.write(sequence)
    writer.write(list: items, limit: ExchangeLimit.names) {
      $0.write($1.domain)
      $0.write($1.address)
      $0.write($1.lifetime)
    }
  }

  init?(_ reader: inout MessageReader) {
    guard let generation = reader.readUInt32(), let sequence = reader.readUInt32(),
      let items = reader.readList(
        limit: ExchangeLimit.names,
        { reader in
          guard let domain = reader.readUInt32(), let address = reader.readAddress(), let lifetime = reader.readUInt32()
          else { return nil as Item? }
          return Item(domain: domain, address: address, lifetime: lifetime)
        })
    else { return nil }
    self.init(generation: generation, sequence: sequence, items: items)
  }
}
