package import Base

extension Explanation {
  package var json: JSONValue {
    .object([
      .init("situation", .string(situation)), .init("answers", .array(answers.map(\.json))),
      .init("with_tunnels", .array(withTunnels.map(\.json))),
    ])
  }

  /// - Returns: `nil` when it is none.
  package init?(_ json: JSONValue) {
    guard let situation = json["situation"]?.text, let answers = json["answers"]?.elements,
      let later = json["with_tunnels"]?.elements
    else { return nil }
    self.init(situation: situation)
    self.answers = answers.compactMap(Answer.init)
    withTunnels = later.compactMap(Answer.init)
    guard self.answers.count == answers.count, withTunnels.count == later.count else { return nil }
  }
}

extension Explanation.Answer {
  fileprivate var json: JSONValue {
    .object([
      .init("family", .string(family.keyword)), .init("source", .text(source)),
      .init("mac", .text(mac)), .init("input", .text(input)), .init("destination", .string(destination)),
      .init("transport", .string(transport)), .init("port", .integer(port)), .init("way", .string(way.rawValue)),
      .init("tunnel", .text(tunnel)), .init("output", .text(output)), .init("gateway", .text(gateway)),
      .init("diverted", .text(diverted)), .init("refusal", .text(refusal)), .init("reason", .string(reason)),
      .init("place", .text(place)), .init("dns", .text(dns)), .init("steps", .texts(steps)),
      .init("remarks", .texts(remarks)),
    ])
  }

  fileprivate init?(_ json: JSONValue) {
    guard let family = json["family"]?.text, let destination = json["destination"]?.text,
      let transport = json["transport"]?.text, let port = json["port"]?.integer.flatMap(UInt16.init(exactly:)),
      let way = json["way"]?.text.flatMap(Explanation.Way.init(rawValue:)), let reason = json["reason"]?.text
    else { return nil }
    self.init(
      family: family == "ipv6" ? .ipv6 : .ipv4, destination: destination, transport: transport, port: port, way: way,
      reason: reason)
    source = json["source"]?.text
    mac = json["mac"]?.text
    input = json["input"]?.text
    tunnel = json["tunnel"]?.text
    output = json["output"]?.text
    gateway = json["gateway"]?.text
    diverted = json["diverted"]?.text
    refusal = json["refusal"]?.text
    place = json["place"]?.text
    dns = json["dns"]?.text
    steps = json["steps"]?.elements?.compactMap(\.text) ?? []
    remarks = json["remarks"]?.elements?.compactMap(\.text) ?? []
  }
}
