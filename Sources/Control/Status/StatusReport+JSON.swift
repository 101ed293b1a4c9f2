import Base

extension StatusReport {
  package var json: JSONValue {
    .object([
      .init("version", .string(version)), .init("tunnels", .array(tunnels.map(\.json))),
      .init("gateways", .array(gateways.map(\.json))), .init("passes", .array(passes.map(\.json))),
      .init("uplink", .object([.init("ipv4", uplink.ipv4.json), .init("ipv6", uplink.ipv6.json)])),
    ])
  }

  /// - Returns: `nil` when a part that is never null is missing: the daemon is of another version.
  package init?(_ json: JSONValue) {
    guard let version = json["version"]?.text, let tunnels = json["tunnels"]?.elements,
      let gateways = json["gateways"]?.elements
    else { return nil }
    self.init(version: version)
    for tunnel in tunnels {
      guard let status = TunnelStatus(tunnel) else { return nil }
      self.tunnels.append(status)
    }
    for gateway in gateways {
      guard let status = GatewayStatus(gateway) else { return nil }
      self.gateways.append(status)
    }
    passes = json["passes"]?.elements?.compactMap(PassStatus.init) ?? []
    uplink.ipv4 = UplinkStatus.Family(json["uplink"]?["ipv4"])
    uplink.ipv6 = UplinkStatus.Family(json["uplink"]?["ipv6"])
  }
}

extension TunnelStatus {
  var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("status", .string(status.rawValue)), .init("since", .time(since)),
      .init("device", .text(device)), .init("remote", remote.json), .init("remotes", .texts(remotes)),
      .init("override", override.json),
      .init("demand", .text(demand)), .init("local", local.json),
      .init("ipv4", .texts(ipv4)),
      .init("ipv6", .texts(ipv6)), .init("gateway4", .text(gateway4)), .init("gateway6", .text(gateway6)),
      .init("mtu", .integer(mtu)), .init("dns", .texts(dns)), .init("domains", .texts(domains)),
      .init("cipher", .text(cipher)), .init("tls", .text(tls)), .init("control", .text(control)),
      .init("data", .text(data)), .init("peer_id", .integer(peerID)), .init("user", .text(user)),
      .init("offload", .text(offload)), .init("tun", tun.json), .init("transport", transport.json),
      .init("drops", .object(drops.map { .init($0.reason, .integer($0.count)) })),
      .init("handshakes", .integer(handshakes)), .init("reconnects", .integer(reconnects)),
      .init("roams", .integer(roams)), .init("renegotiations", .integer(renegotiations)),
      .init("last_error", lastError?.json ?? .null), .init("layer", .text(layer)),
      .init("evidence", .texts(evidence)), .init("server_certificate", serverCertificate.json),
    ])
  }

  init?(_ json: JSONValue) {
    guard let name = json["name"]?.text, let word = json["status"]?.text, let status = TunnelStatusWord(rawValue: word)
    else { return nil }
    self.init(name: name, status: status)
    since = json["since"]?.time
    device = json["device"]?.text
    remote = Remote(json["remote"])
    remotes = json["remotes"]?.texts ?? []
    override = Override(json["override"])
    demand = json["demand"]?.text
    local = Local(json["local"])
    ipv4 = json["ipv4"]?.texts ?? []
    ipv6 = json["ipv6"]?.texts ?? []
    gateway4 = json["gateway4"]?.text
    gateway6 = json["gateway6"]?.text
    mtu = json.whole("mtu")
    dns = json["dns"]?.texts ?? []
    domains = json["domains"]?.texts ?? []
    cipher = json["cipher"]?.text
    tls = json["tls"]?.text
    control = json["control"]?.text
    data = json["data"]?.text
    peerID = json.whole("peer_id")
    user = json["user"]?.text
    offload = json["offload"]?.text
    tun = TunCounters(json["tun"])
    transport = TransportCounters(json["transport"])
    drops =
      json["drops"]?.members?.compactMap { member in
        member.value.integer.flatMap { UInt64(exactly: $0) }.map { Drop(member.key, $0) }
      } ?? []
    handshakes = json.whole("handshakes")
    reconnects = json.whole("reconnects")
    roams = json.whole("roams")
    renegotiations = json.whole("renegotiations")
    lastError = json["last_error"].flatMap(LastError.init)
    layer = json["layer"]?.text
    evidence = json["evidence"]?.texts ?? []
    serverCertificate.subject = json["server_certificate"]?["subject"]?.text
    serverCertificate.notAfter = json["server_certificate"]?["not_after"]?.time
  }
}

extension TunnelStatus.Remote {
  fileprivate var json: JSONValue {
    .object([
      .init("host", .text(host)), .init("address", .text(address)), .init("port", .integer(port)),
      .init("proto", .text(proto)),
    ])
  }

  fileprivate init(_ json: JSONValue?) {
    host = json?["host"]?.text
    address = json?["address"]?.text
    port = json?.whole("port")
    proto = json?["proto"]?.text
  }
}

extension TunnelStatus.Override {
  fileprivate var json: JSONValue {
    .object([
      .init("action", .text(action?.rawValue)), .init("until", .time(until)), .init("remote", .text(remote)),
    ])
  }

  fileprivate init(_ json: JSONValue?) {
    action = json?["action"]?.text.flatMap(Action.init(rawValue:))
    until = json?["until"]?.time
    remote = json?["remote"]?.text
  }
}

extension TunnelStatus.Local {
  fileprivate var json: JSONValue {
    .object([.init("address", .text(address)), .init("port", .integer(port)), .init("uplink", .text(uplink))])
  }

  fileprivate init(_ json: JSONValue?) {
    address = json?["address"]?.text
    port = json?.whole("port")
    uplink = json?["uplink"]?.text
  }
}

extension TunnelStatus.TunCounters {
  fileprivate var json: JSONValue {
    .object([
      .init("rx_bytes", .integer(receivedBytes)), .init("tx_bytes", .integer(sentBytes)),
      .init("rx_packets", .integer(receivedPackets)), .init("tx_packets", .integer(sentPackets)),
      .init("rx_errors", .integer(receiveErrors)), .init("tx_errors", .integer(sendErrors)),
    ])
  }

  fileprivate init(_ json: JSONValue?) {
    receivedBytes = json?.whole("rx_bytes")
    sentBytes = json?.whole("tx_bytes")
    receivedPackets = json?.whole("rx_packets")
    sentPackets = json?.whole("tx_packets")
    receiveErrors = json?.whole("rx_errors")
    sendErrors = json?.whole("tx_errors")
  }
}

extension TunnelStatus.TransportCounters {
  fileprivate var json: JSONValue {
    .object([
      .init("rx_bytes", .integer(receivedBytes)), .init("tx_bytes", .integer(sentBytes)),
      .init("rx_packets", .integer(receivedPackets)), .init("tx_packets", .integer(sentPackets)),
      .init("last_packet", .time(lastPacket)),
    ])
  }

  fileprivate init(_ json: JSONValue?) {
    receivedBytes = json?.whole("rx_bytes")
    sentBytes = json?.whole("tx_bytes")
    receivedPackets = json?.whole("rx_packets")
    sentPackets = json?.whole("tx_packets")
    lastPacket = json?["last_packet"]?.time
  }
}

extension TunnelStatus.LastError {
  fileprivate var json: JSONValue {
    .object([
      .init("code", .string(code)), .init("text", .string(text)), .init("since", .time(since)),
      .init("fatal", .bool(isFatal)), .init("action", .string(action)),
    ])
  }

  fileprivate init?(_ json: JSONValue) {
    guard let code = json["code"]?.text, let text = json["text"]?.text else { return nil }
    self.init(
      code: code, text: text, since: json["since"]?.time, isFatal: json["fatal"]?.truth ?? false,
      action: json["action"]?.text ?? "")
  }
}

extension TunnelStatus.ServerCertificate {
  fileprivate var json: JSONValue { .object([.init("subject", .text(subject)), .init("not_after", .time(notAfter))]) }
}

extension GatewayStatus {
  fileprivate var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("active", .text(active)), .init("kill_switch", .text(killSwitch)),
      .init("open_until", .time(openUntil)), .init("refused", .texts(refused)),
      .init("blocked_packets", .integer(blockedPackets)),
    ])
  }

  fileprivate init?(_ json: JSONValue) {
    guard let name = json["name"]?.text else { return nil }
    self.init(name: name)
    active = json["active"]?.text
    killSwitch = json["kill_switch"]?.text
    openUntil = json["open_until"]?.time
    refused = json["refused"]?.texts ?? []
    blockedPackets = json.whole("blocked_packets")
  }
}

extension PassStatus {
  package var json: JSONValue {
    .object([.init("address", .string(address)), .init("via", .string(via)), .init("until", .time(until))])
  }

  package init?(_ json: JSONValue) {
    guard let address = json["address"]?.text, let via = json["via"]?.text else { return nil }
    self.init(address: address, via: via, until: json["until"]?.time)
  }
}

extension UplinkStatus.Family {
  fileprivate var json: JSONValue {
    .object([
      .init("reachable", .truth(isReachable)), .init("device", .text(device)), .init("kind", .text(kind)),
      .init("gateway", .text(gateway)), .init("source", .text(source)),
    ])
  }

  fileprivate init(_ json: JSONValue?) {
    isReachable = json?["reachable"]?.truth
    device = json?["device"]?.text
    kind = json?["kind"]?.text
    gateway = json?["gateway"]?.text
    source = json?["source"]?.text
  }
}

extension JSONValue {
  fileprivate static func time(_ time: WallTime?) -> JSONValue { .text(time?.rfc3339) }

  fileprivate var time: WallTime? { text.flatMap { WallTime(rfc3339: $0) } }

  fileprivate var texts: [String]? { elements?.compactMap(\.text) }

  fileprivate func whole<Number: FixedWidthInteger>(_ key: String) -> Number? {
    self[key]?.integer.flatMap { Number(exactly: $0) }
  }
}
