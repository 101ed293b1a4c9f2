internal import Base

extension HealthOrder {
  func write(to writer: inout MessageWriter) {
    writer.write(optional: interval) { $0.write($1) }
    guard let count = UInt8(exactly: failAfter), Self.failAfterRange.contains(failAfter) else { return writer.fail() }
    writer.write(count)
    writer.write(optional: target) { $0.write($1) }
  }

  init?(_ reader: inout MessageReader) {
    guard let interval = reader.readOptional({ $0.readSpan() }), let count = reader.readByte(),
      Self.failAfterRange.contains(Int(count)), let target = reader.readOptional({ $0.readAddress() })
    else { return nil }
    self.init(interval: interval, failAfter: Int(count), target: target)
  }
}

extension Proof {
  private enum Kind: UInt8 { case alive = 1, silent, failed }

  func write(to writer: inout MessageWriter) {
    switch self {
    case .alive(let span):
      writer.write(Kind.alive.rawValue)
      writer.write(span)
    case .silent(let span):
      writer.write(Kind.silent.rawValue)
      writer.write(span)
    case .failed: writer.write(Kind.failed.rawValue)
    }
  }

  init?(_ reader: inout MessageReader) {
    switch reader.readByte().flatMap(Kind.init(rawValue:)) {
    case .alive:
      guard let span = reader.readSpan() else { return nil }
      self = .alive(roundTrip: span)
    case .silent:
      guard let span = reader.readSpan() else { return nil }
      self = .silent(for: span)
    case .failed: self = .failed
    case nil: return nil
    }
  }
}
