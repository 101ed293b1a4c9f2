import Base
import Daemon
import Testing

@Suite("Remembered sizes")
struct MTUMemoryTests {
  private func key(_ device: String = "wan0", _ number: UInt8 = 10, _ transport: Transport = .udp, linkMTU: Int = 1500)
    throws
    -> MTUMemory.Key
  {
    let path = Path(
      device: try #require(DeviceName(device)), gateway: IPAddress("198.51.100.1"), source: IPAddress("198.51.100.2"))
    return MTUMemory.Key(
      path, linkMTU: linkMTU, server: .v4(IPv4Address(203, 0, 113, number)), transport: transport)
  }

  @Test("each uplink, server and protocol has its own, and the last word counts")
  func keys() throws {
    var memory = MTUMemory()
    memory.remember(1448, for: try key())
    memory.remember(1348, for: try key("wan1"))
    memory.remember(1300, for: try key("wan0", 11))
    memory.remember(1400, for: try key())
    #expect(try memory[key()] == 1400)
    #expect(try memory[key("wan1")] == 1348)
    #expect(try memory[key("wan0", 11)] == 1300)
    #expect(try memory[key("wan0", 10, .tcp)] == nil)
    #expect(try memory[key(linkMTU: 1492)] == nil)
  }

  @Test("it does not grow without end: what was not used for longest is forgotten")
  func bound() throws {
    var memory = MTUMemory()
    for round in 0..<3 {
      for number in 0..<200 as Range<UInt8> { memory.remember(1000 + Int(number), for: try key("wan\(round)", number)) }
    }
    #expect(try memory[key("wan0", 199)] == nil)
    #expect(try memory[key("wan1", 143)] == nil)
    #expect(try memory[key("wan1", 144)] == 1144)
    #expect(try memory[key("wan2", 0)] == 1000)
  }
}
