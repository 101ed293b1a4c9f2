import Base

enum GlobalsSection {
  static func read(_ reader: inout SectionReader) -> Globals {
    reader.checkKeys()
    var globals = Globals()
    if let level = reader.value("log_level", Note.Level.init(name:)) { globals.logLevel = level }
    globals.metrics = reader.value("metrics", endpoint)
    if let mask = reader.value("fwmark_mask", byteMask) { globals.marks = MarkLayout(mask: mask) }
    if let priority = reader.number("rule_priority") { globals.rulePriority = UInt32(clamping: priority) }
    globals.takeOver = reader.values("take_over") { SettingsFile.Package(rawValue: $0)?.rawValue }
    globals.controlGroup = reader.text("control_group")
    globals.bootstrapDNS = reader.values("bootstrap_dns") { IPAddress($0) }
    return globals
  }

  /// `127.0.0.1:9176`, `[::1]:9176`.
  static func endpoint(_ text: String) -> Endpoint? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
      let address = IPAddress(text[..<colon])
    else { return nil }
    if case .v6 = address, !text.hasPrefix("[") { return nil }
    return Endpoint(address: address, port: port)
  }

  /// Eight bits in a row, decimal or with 0x.
  private static func byteMask(_ text: String) -> UInt32? {
    let lower = text.lowercased()
    guard let mask = lower.hasPrefix("0x") ? UInt32(lower.dropFirst(2), radix: 16) : UInt32(lower),
      mask.nonzeroBitCount == 8, mask >> UInt32(mask.trailingZeroBitCount) == 0xff
    else { return nil }
    return mask
  }
}
