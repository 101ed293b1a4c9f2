import Base
import Gateway
import Settings
import Testing

@Suite("Explaining policies") struct ExplainPolicyTests {
  typealias Question = ExplainTests.Question

  static let questions = [
    Question(Situations.policyToWAN, "by address", from: "192.168.1.50", "wan", "blocked"),
    Question(Situations.policyToWAN, "another device", from: "192.168.1.51", "tunnel home", "blocked"),
    Question(Situations.policyToWAN, "inside the house", from: "192.168.1.50", to: "192.168.1.60", "lan"),
    Question(Situations.policiesOfEveryKind, "ports and nets", to: "203.0.113.9", "wan"),
    Question(Situations.policiesOfEveryKind, "a range of ports", to: "203.0.113.9", port: 8010, "wan"),
    Question(Situations.policiesOfEveryKind, "another port", to: "203.0.113.9", port: 22, "tunnel home"),
    Question(
      Situations.policiesOfEveryKind, "a negated source", from: "192.168.1.7", to: "203.0.113.9", "tunnel home"),
    Question(Situations.policiesWhileDown, "down, block", from: "192.168.1.50", "blocked", "blocked"),
    Question(Situations.policiesWhileDown, "down, wan", from: "192.168.1.51", "wan", "blocked"),
    Question(Situations.policiesWhileDown, "down, next", from: "192.168.1.52", "wan", "blocked"),
    Question(Situations.policiesOfRouter, "the router's own", from: "192.168.1.1", port: 25, "blocked", "blocked"),
    Question(Situations.policiesOfRouter, "the router's own", from: "192.168.1.1", "tunnel home", "blocked"),
    Question(Situations.policiesWithoutGateway, "without a gateway", from: "192.168.1.60", "blocked", "wan"),
    Question(Situations.policiesOneArmed, "one-armed", from: "192.168.178.50", "wan"),
    Question(Situations.policiesOneArmed, "one-armed, another", from: "192.168.178.51", "tunnel home"),
  ]

  @Test("the way of each family by policy", arguments: questions)
  func ways(_ question: Question) throws {
    let answers = try question.house().explain(from: question.from, to: question.to, port: question.port)
    #expect(answers.map(\.words) == question.ways)
  }

  @Test("the policy that decides is named, with its key, and what else may decide")
  func places() throws {
    var house = try Situations.policiesOfEveryKind()
    let via = SourceLocation(file: "policies", line: 7, column: 2)
    house.settings.policies[0].keys["via"] = via
    let decided = try house.explain(from: "192.168.1.40", to: "203.0.113.9")[0]
    #expect(decided.reason == "policy web")
    #expect(decided.place == via.description)
    let anywhere = try house.explain(from: "192.168.1.40")[0]
    #expect(
      anywhere.remarks.contains { $0.contains("may decide otherwise: web (policies:1:1), guests (policies:21:1)") })
    #expect(anywhere.steps.contains { $0.hasPrefix("nft policies: jump policy_web") })
  }

  @Test("G-19: a MAC policy decides for the device that has it, and is said not to count while the MAC is not known")
  func macs() throws {
    let house = try Situations.policiesOfEveryKind()
    let neighbour = Neighbour(
      address: try address("192.168.1.40"), mac: try #require(MACAddress("02:00:00:00:00:07")),
      device: try device("br-lan"))
    let known = try house.explain(from: "192.168.1.40", neighbours: [neighbour])
    #expect(known.map(\.words) == ["tunnel work", "tunnel work"])
    #expect(known.map(\.reason) == ["policy laptop", "policy laptop"])
    let unknown = try house.explain(from: "192.168.1.40")
    #expect(unknown[0].words == "tunnel home")
    #expect(unknown[0].remarks.contains("its MAC address is not known, so policies by MAC are taken as not matching"))
  }

  @Test("a domain's policy decides for the name and its subdomains, and for an address once it is learnt")
  func domains() throws {
    var house = try Situations.full()
    try house.addPolicy("tv", to: ["example.org", "!private.example.org"], via: "wan")
    let source = "192.168.1.40"
    #expect(try house.explain(from: source, to: "example.org")[0].reason == "policy tv")
    #expect(try house.explain(from: source, to: "www.Example.org")[0].words == "wan")
    #expect(try house.explain(from: source, to: "private.example.org")[0].words == "tunnel home")
    #expect(try house.explain(from: source, to: "notexample.org")[0].words == "tunnel home")
    #expect(try house.explain(from: source, to: "9.9.9.9")[0].words == "tunnel home")
    let policy = try #require(TunnelName("tv"))
    let live: LiveSets = [
      TimedSet.names(policy: policy, .ipv4).name: [.address(try address("9.9.9.9")): .seconds(60)]
    ]
    #expect(try house.explain(from: source, to: "9.9.9.9", live: live)[0].words == "wan")
    let asked = try house.explain(from: source, to: "example.org", live: live)
    #expect(
      asked.map(\.remarks.last)
        == [1, 0].map { count in
          "policy tv goes by addresses that DNS answers name: \(count == 1 ? "1 IPv4 address" : "0 IPv6 addresses") of its names known now"
        })
    #expect(try house.explain(from: source, to: "elsewhere.net")[0].remarks == [])
  }

  @Test("in every situation with policies each answer has its reason", arguments: Situations.policies.map(\.name))
  func reasons(name: String) throws {
    let house = try #require(Situations.policies.first { $0.name == name }).house()
    let source = house.snapshot.addresses.contains { $0.device.text == "eth0" } ? "192.168.178.50" : "192.168.1.50"
    for answer in try house.explain(from: source) {
      #expect(answer.reason != "nothing of the configuration speaks of it")
    }
  }
}
