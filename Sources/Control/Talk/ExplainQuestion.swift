/// What `adit explain` asks, in the words of the command line.
package struct ExplainQuestion: Hashable, Sendable {
  static let verb = "explain"

  /// An address or a MAC address.
  package var source: String
  /// An address or a host's name; `nil` = anything on the internet.
  package var destination: String?
  /// `tcp` or `udp`.
  package var transport: String?
  package var port: UInt16?

  package init(source: String, destination: String? = nil, transport: String? = nil, port: UInt16? = nil) {
    self.source = source
    self.destination = destination
    self.transport = transport
    self.port = port
  }

  /// A host's name at its longest.
  private static let longestWord = 255

  init?(_ json: JSONValue) {
    guard let source = json["source"]?.text, source.utf8.count <= Self.longestWord else { return nil }
    self.source = source
    destination = json["destination"]?.text
    transport = json["transport"]?.text
    guard (destination?.utf8.count ?? 0) <= Self.longestWord else { return nil }
    if let number = json["port"]?.integer {
      guard let port = UInt16(exactly: number) else { return nil }
      self.port = port
    }
  }

  var json: JSONValue {
    .object([
      .init("do", .string(Self.verb)), .init("source", .string(source)), .init("destination", .text(destination)),
      .init("transport", .text(transport)), .init("port", .integer(port)),
    ])
  }
}
