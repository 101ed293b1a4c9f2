import Base
import Foundation
import Gateway
import Settings
import Testing

/// One row of a table of docs/TRAFFIC.md.
struct TrafficRow: CustomTestStringConvertible, Sendable {
  var section: String
  var traffic: String
  var way: String
  /// The chain or rule that decides; empty where none of ours does.
  var decider: String

  var testDescription: String { "\(section): \(traffic)" }
  /// The kind of traffic, and what narrows it.
  var kind: String { parts[0] }
  var conditions: [String] { Array(parts.dropFirst()) }
  private var parts: [String] { traffic.components(separatedBy: ", ").map { $0 } }

  static let all: [TrafficRow] = {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/TRAFFIC.md")
    guard let text = try? String(contentsOf: page, encoding: .utf8) else { return [] }
    var rows: [TrafficRow] = []
    var section = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard !section.isEmpty, cells.count == 5, cells[1] != "traffic", !cells[1].hasPrefix("---") else { continue }
      rows.append(TrafficRow(section: section, traffic: cells[1], way: cells[2], decider: cells[3]))
    }
    return rows
  }()
}

@Suite("docs/TRAFFIC.md says what the rules do")
struct TrafficTests {
  /// Every section and every row is known here, so none is left unread.
  private static let states: [String: TrafficHouse.State] = [
    "Before `adit arm`": .nothing, "Armed before the network": .beforeNetwork, "Armed": .armed,
    "Connecting": .connecting, "Up": .up, "Down, reasserting": .down, "Pass": .up, "Policies": .up,
    "Disarmed for a time": .armed,
    "Stopped with `kill_switch 'always'`": .stopped, "Stopped with `kill_switch 'session'`": .stopped,
    "With `kill_switch 'off'`": .up, "Crash": .crashed,
  ]

  private func house(_ row: TrafficRow) throws -> TrafficHouse {
    var house = TrafficHouse(state: try #require(Self.states[row.section], "no state of that name"))
    var changes: [(inout GatewaySettings) -> Void] = []
    if row.section.hasSuffix("'session'`") { changes.append { $0.killSwitch = .session } }
    if row.section.hasSuffix("'off'`") { changes.append { $0.killSwitch = .off } }
    if row.section == "Pass" {
      house.live["pass4"] = [.address(try address("192.168.1.50")): .some(.seconds(60))]
    }
    if row.section == "Disarmed for a time" {
      house.live["open_lan"] = [.device(try device("br-lan")): .some(.seconds(60))]
      house.live["open_router"] = [.family(.ipv4): .some(.seconds(60)), .family(.ipv6): .some(.seconds(60))]
    }
    for condition in row.conditions {
      switch condition {
      case "IPv4", "IPv6", "the device", "another device": break
      case "scope all": changes.append { $0.scope = .all }
      case "a server without IPv6": house.hasIPv6Server = false
      case "armed": house.state = .armed
      case "up": house.state = .up
      case "reasserting": house.state = .reasserting
      case "down": house.state = .down
      case "connecting": house.state = .connecting
      case "stopped": house.state = .stopped
      case "armed after it": house.state = .armedAfterCrash
      case "session": changes.append { $0.killSwitch = .session }
      case "`via 'wan'`": house.policy.via = "wan"
      case "`via 'block'`": house.policy.via = "block"
      case "`via 'home'`": house.policy.via = "home"
      case "`on_down 'wan'`": house.policy.onDown = .wan
      case "`on_down 'next'`": house.policy.onDown = .next
      default: Issue.record("the condition `\(condition)` is not known")
      }
    }
    let dns: GatewaySettings.DNSMode =
      row.kind.hasPrefix("DNS") ? .hijack : row.kind.hasSuffix("query for a name") ? .auto : .off
    changes.append { $0.dns = dns }
    if row.section == "Policies", house.policy.via == nil { house.policy.via = "wan" }
    if row.kind == "router's NTP" { house.clockIsUnset = true }
    house.settings = { gateway in for change in changes { change(&gateway) } }
    return house
  }

  private func packets(_ row: TrafficRow, _ house: TrafficHouse) throws -> [Packet] {
    let family: AddressFamily = row.conditions.contains("IPv6") ? .ipv6 : .ipv4
    let isOther = row.conditions.contains("another device") || row.kind.contains("another device")
    let source = isOther ? "192.168.1.51" : nil
    switch row.kind {
    case "LAN to internet": return [try house.fromLAN(family, source: source)]
    case "LAN to LAN":
      return [
        try house.fromLAN(.ipv4, source: source, to: "192.168.2.20"), try house.fromLAN(.ipv6, to: "fd02::20"),
      ]
    case "LAN to router":
      return [
        try house.fromLAN(.ipv4, to: "192.168.1.1", port: 22), try house.fromLAN(.ipv6, to: "fd01::1", port: 22),
        try house.fromLAN(.ipv4, to: "192.168.1.1", port: 53, over: .udp),
        try house.fromLAN(.ipv4, to: "255.255.255.255", port: 67, over: .udp),
      ]
    case "RA and ND on a LAN": return [try house.fromLAN(.ipv6, to: "ff02::1:ff00:1", over: .icmpv6)]
    case "router to internet": return [try house.fromRouter()]
    case "router to LAN":
      var answer = try house.fromRouter(to: "192.168.1.50")
      answer.direction = .reply
      var lease = try house.fromRouter(to: "192.168.1.50", port: 68, over: .udp)
      lease.sourcePort = 67
      return [answer, lease]
    case "transport":
      var packet = try house.fromRouter(to: "203.0.113.9", port: 1194, over: .udp)
      packet.mark = MarkLayout().own
      return [packet]
    case "router's lease":
      var packet = try house.fromRouter(to: "198.51.100.1", port: 67, over: .udp)
      packet.sourcePort = 68
      return [packet]
    case "router's NTP": return [try house.fromRouter(port: 123, over: .udp)]
    case "router's query for a name": return [try house.fromRouter(to: "192.0.2.53", port: 53, over: .udp)]
    case let kind where kind.hasPrefix("DNS of") || kind == "LAN's query for a name":
      return [try house.fromLAN(.ipv4, source: source, port: 53, over: .udp)]
    default:
      Issue.record("the traffic `\(row.kind)` is not known")
      return []
    }
  }

  private func check(_ end: Journey.End, _ journey: Journey, _ row: TrafficRow) {
    let told = "\(row.testDescription)\n" + journey.steps.joined(separator: "\n")
    #expect(end.words == row.way, "\(told)")
    guard !row.decider.isEmpty else { return }
    let number = row.decider.split(separator: " ").last.map(String.init) ?? ""
    let starts =
      row.decider.hasPrefix("rule ") ? ["rule v4 \(number):", "rule v6 \(number):"] : ["nft \(row.decider):"]
    #expect(journey.steps.contains { step in starts.contains { step.hasPrefix($0) } }, "\(told)")
  }

  @Test("every row of every state", arguments: TrafficRow.all)
  func rows(row: TrafficRow) throws {
    let house = try house(row)
    if row.kind.hasPrefix("outside to") {
      let (end, journey) = try house.answered(by: row.kind == "outside to LAN")
      // An answer that reaches whoever asked outside leaves by the WAN; the page speaks of the whole connection.
      if case .device(let device, _) = end, device.text == "wan0" {
        check(.router, journey, row)
      } else {
        check(end, journey, row)
      }
      return
    }
    for packet in try packets(row, house) {
      var journey = Journey(packet, in: try house.scene())
      check(journey.travel(), journey, row)
    }
  }

  @Test("every state has its section, and every section its rows")
  func sections() {
    let counts = Dictionary(grouping: TrafficRow.all, by: \.section).mapValues(\.count)
    #expect(Set(counts.keys) == Set(Self.states.keys))
    #expect(TrafficRow.all.count > 90)
  }
}
