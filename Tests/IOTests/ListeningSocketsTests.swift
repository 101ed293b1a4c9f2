import Base
import IO
import Testing

struct ListeningSocketsTests {
  @Test("the listeners of a port are read from the kernel's tables of either family")
  func listeners() throws {
    let table = """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
        77: 0101A8C0:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4711 2 0000 0
        78: 0100007F:0035 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 4712 2 0000 0
        79: 0101A8C0:0043 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4713 2 0000 0
        80: B80D0120000000000000000001000000:0035 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 4714 1 0 0
        broken
      """
    #expect(
      ListeningSockets.sockets(on: 53, in: table) == [
        .init(address: try #require(IPAddress("192.168.1.1")), inode: 4711),
        .init(address: try #require(IPAddress("2001:db8::1")), inode: 4714),
      ])
  }
}
