import Base
import Settings
import Supervisor
import Testing

@Suite("Remembered addresses of servers")
struct AddressMemoryTests {
  private let noon = WallTime(seconds: 1_767_268_800)
  private let home = TunnelName("home")

  private func addresses(_ texts: String...) -> [IPAddress] { texts.compactMap { IPAddress($0) } }

  @Test("What DNS gave is remembered by tunnel and name, and only for the family that is wanted")
  func found() throws {
    let home = try #require(home)
    var memory = AddressMemory()
    #expect(memory.entry(of: "vpn.example.net", for: home, family: nil) == nil)
    let both = addresses("203.0.113.10", "2001:db8::10")
    let isNew = memory.found(both, of: "vpn.example.net", for: home, at: noon)
    #expect(isNew)
    #expect(memory.entry(of: "vpn.example.net", for: home, family: nil)?.addresses == both)
    #expect(memory.entry(of: "vpn.example.net", for: home, family: .ipv6)?.addresses == addresses("2001:db8::10"))
    let other = try #require(TunnelName("other"))
    #expect(memory.entry(of: "vpn.example.net", for: other, family: nil) == nil)
  }

  @Test("The address that a session came up with stands first, as long as DNS still names it (R-03, R-04)")
  func worked() throws {
    let home = try #require(home)
    var memory = AddressMemory()
    _ = memory.found(addresses("203.0.113.9", "203.0.113.10"), of: "vpn", for: home, at: noon)
    _ = memory.worked(.v4(IPv4Address(203, 0, 113, 10)), of: "vpn", for: home, at: noon)
    #expect(
      memory.entry(of: "vpn", for: home, family: nil)?.addresses == addresses("203.0.113.10", "203.0.113.9"))
    _ = memory.found(addresses("203.0.113.8", "203.0.113.10"), of: "vpn", for: home, at: noon)
    #expect(
      memory.entry(of: "vpn", for: home, family: nil)?.addresses == addresses("203.0.113.10", "203.0.113.8"))
    _ = memory.found(addresses("203.0.113.7"), of: "vpn", for: home, at: noon)
    #expect(memory.entry(of: "vpn", for: home, family: nil)?.addresses == addresses("203.0.113.7"))
  }

  @Test("Only news is written down: other addresses, or a time a minute later")
  func news() throws {
    let home = try #require(home)
    var memory = AddressMemory()
    let one = addresses("203.0.113.9")
    let asked = [0, 5, 59, 61].map {
      memory.found(one, of: "vpn", for: home, at: WallTime(seconds: noon.seconds + $0))
    }
    #expect(asked == [true, false, false, true])
  }

  @Test("Its text brings back the same, and holds no line that somebody else could have meant")
  func text() throws {
    let home = try #require(home)
    var memory = AddressMemory()
    _ = memory.found(addresses("203.0.113.9", "2001:db8::9"), of: "vpn.example.net", for: home, at: noon)
    _ = memory.found(addresses("203.0.113.8"), of: "evil\n home", for: home, at: noon)
    _ = memory.found(addresses("0.0.0.0", "224.0.0.1"), of: "blocked.example", for: home, at: noon)
    #expect(
      memory.text == "adit addresses 1\nhome vpn.example.net 1767268800 203.0.113.9 2001:db8::9\n")
    #expect(AddressMemory(memory.text) == memory)
  }

  @Test(
    "Text that is not ours is left out",
    arguments: [
      "", "home vpn 1 203.0.113.9", "adit addresses 1\nhome vpn x 203.0.113.9", "adit addresses 1\nhome vpn 1",
      "adit addresses 1\nho/me vpn 1 203.0.113.9", "adit addresses 1\nhome v;pn 1 203.0.113.9",
      "adit addresses 1\nhome vpn 1 203.0.113.9 nonsense", "adit addresses 1\nhome vpn 1 0.0.0.0",
    ])
  func nonsense(_ text: String) {
    #expect(AddressMemory(text) == AddressMemory())
  }

  @Test("It does not grow without end: the oldest names and the last addresses go")
  func bounds() throws {
    let home = try #require(home)
    var memory = AddressMemory()
    let many = (1...40).map { IPAddress.v4(IPv4Address(203, 0, 113, $0)) }
    for number in 0...AddressMemory.mostNames {
      _ = memory.found(many, of: "vpn\(number)", for: home, at: WallTime(seconds: noon.seconds + Int64(number)))
    }
    #expect(memory.entry(of: "vpn0", for: home, family: nil) == nil)
    #expect(memory.entry(of: "vpn1", for: home, family: nil)?.addresses.count == AddressMemory.mostAddresses)
    #expect(memory.text.utf8.count <= AddressMemory.largest)
  }
}
