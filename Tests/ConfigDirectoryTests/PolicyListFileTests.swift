import Base
import ConfigDirectory
import Settings
import TestKit
import Testing

@Suite("Lists that policies name")
struct PolicyListFileTests {
  private func load(
    _ lines: String, files: [String: String] = [:]
  ) throws -> (policies: [PolicySettings], words: [String]) {
    let scratch = try Scratch()
    try scratch.write("home.ovpn", Sample.profile)
    try scratch.write("ca.crt", Sample.authority)
    try scratch.write("home.auth", "me\nsecret word\n")
    for (name, text) in files { try scratch.write(name, text) }
    try scratch.write("gateway", Sample.section + "config policy 'p'\n\(lines)\toption via 'wan'\n")
    let loaded = ConfigurationDirectory.load(path: scratch.path, packages: scratch.path + "/packages")
    let told = loaded.diagnostics.filter { $0.severity != .note && !$0.text.contains("chmod") }
    return (loaded.settings.policies, scratch.words(told))
  }

  @Test("entries take the place of the file's name, and a negated list is negated entry by entry")
  func expanded() throws {
    let (policies, words) = try load(
      "\tlist dest 'file:nets'\n\tlist dest '!file:not'\n\tlist src 'file:who'\n",
      files: ["nets": "192.0.2.0/24\n198.51.100.1 # one\n", "not": "192.0.2.7\n", "who": "02:00:00:00:00:07\n@br-tv\n"])
    #expect(words.isEmpty)
    let policy = try #require(policies.first)
    #expect(policy.destinations.map(\.isNegated) == [false, false, true] && policy.reading == .whole)
    #expect(policy.sources.count == 2)
  }

  @Test("a list that is not there is told with the nearest name, and the policy matches nothing by it")
  func missing() throws {
    let (policies, words) = try load("\tlist dest 'file:stremas.txt'\n", files: ["streams.txt": "192.0.2.0/24\n"])
    #expect(words.count == 1)
    #expect(words.first?.hasPrefix("gateway:4:12: error: the list ") == true)
    #expect(words.first?.hasSuffix("; did you mean `streams.txt`?") == true)
    #expect(policies.map(\.reading) == [.part])
    guard case .list? = policies.first?.destinations.first?.match else {
      Issue.record("without its term the policy would match everything")
      return
    }
  }

  @Test("a mistake in a list stands at its line, and leaves the other entries blocked")
  func mistake() throws {
    let (policies, words) = try load("\tlist dest 'file:nets'\n", files: ["nets": "192.0.2.0/24\n192.0.2.\n"])
    #expect(words == ["nets:2:1: error: not an address, a prefix, or a domain"])
    #expect(policies.map(\.reading) == [.part] && policies.first?.destinations.count == 1)
  }

  @Test("an empty list matches nothing, not everything, and is told")
  func empty() throws {
    let (policies, words) = try load("\tlist dest 'file:nets'\n", files: ["nets": "# nothing yet\n"])
    #expect(words.count == 1 && words.first?.contains("warning: the list") == true)
    #expect(policies.map(\.reading) == [.whole] && policies.first?.destinations.count == 1)
  }

  @Test("`block_doh` takes addresses and lists of them; a name in one is left out, and said")
  func doh() throws {
    let scratch = try Scratch()
    try scratch.write("home.ovpn", Sample.profile)
    try scratch.write("ca.crt", Sample.authority)
    try scratch.write("home.auth", "me\nsecret word\n")
    try scratch.write("doh", "9.9.9.9\n2620:fe::/48\ndns.example\n")
    try scratch.write(
      "gateway",
      Sample.section + """
        config gateway 'lan'
        	list tunnel 'home'
        	list lan 'br-lan'
        	list block_doh '1.1.1.0/24'
        	list block_doh 'file:doh'
        	list block_doh 'dns.example'

        """)
    let loaded = ConfigurationDirectory.load(path: scratch.path, packages: scratch.path + "/packages")
    #expect(
      loaded.settings.gateways.first?.blockedDoH.map(\.description) == ["1.1.1.0/24", "9.9.9.9/32", "2620:fe::/48"])
    let words = scratch.words(loaded.diagnostics.filter { $0.text.contains("block_doh") })
    #expect(words.contains { $0.contains("error: `block_doh` must be an address, a prefix, or file:NAME") })
    #expect(words.contains { $0.contains("warning: `block_doh` takes addresses only; dns.example is left out") })
  }
}
