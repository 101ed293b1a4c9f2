import Base
import Daemon
import Testing

@Suite("What the log says about refused packets")
struct RefusalWatchTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)
  private let closed = RefusalWatch.Facts(name: "lan", tunnel: "home", refused: [.ipv4, .ipv6])
  private let partly = RefusalWatch.Facts(name: "lan", tunnel: "home", refused: [.ipv6])
  private let open = RefusalWatch.Facts(name: "lan", tunnel: "home", refused: [])

  @Test("One line when it closes, one when it opens, with the packets refused meanwhile")
  func closure() {
    var watch = RefusalWatch()
    #expect(watch.wantsLook([closed], at: start))
    #expect(
      watch.look([closed], counts: ["lan": 5], at: start) == [
        .init(.info, "lan", "refuses what leaves the house, until home is up")
      ])
    #expect(!watch.wantsLook([closed], at: start + .seconds(60)))
    #expect(
      watch.look([open], counts: ["lan": 17], at: start + .seconds(240)) == [
        .init(.info, "lan", "open through home; 12 packets were refused within 4 min")
      ])
    #expect(watch.due == nil && !watch.wantsLook([open], at: start + .seconds(100_000)))
    #expect(
      watch.look([closed], counts: ["lan": 17], at: start + .seconds(300)).map(\.level) == [.warning])
  }

  @Test("While it is closed for long a line an hour at most, and none when nothing knocks")
  func hours() {
    var watch = RefusalWatch()
    _ = watch.look([closed], counts: [:], at: start)
    #expect(watch.due == start + .seconds(3_600))
    #expect(watch.look([closed], counts: ["lan": 1], at: start + .seconds(3_599)).isEmpty)
    #expect(
      watch.look([closed], counts: ["lan": 1], at: start + .seconds(3_600)) == [
        .init(.info, "lan", "still closed after 60 min; 1 packet was refused in the last hour")
      ])
    #expect(watch.look([closed], counts: ["lan": 1], at: start + .seconds(7_200)).isEmpty)
    #expect(watch.due == start + .seconds(10_800))
  }

  @Test("A server without IPv6 leaves only that refused; a counter that began anew counts from zero")
  func onlyIPv6() {
    var watch = RefusalWatch()
    _ = watch.look([closed], counts: ["lan": 9], at: start)
    #expect(
      watch.look([partly], counts: ["lan": 3], at: start + .seconds(2)).map(\.text) == [
        "open through home, but for IPv6; 3 packets were refused within 2 s"
      ])
    #expect(watch.due == nil)
    #expect(
      watch.look([closed], counts: [:], at: start + .seconds(3)) == [
        .init(.warning, "lan", "refuses what leaves the house, until home is up")
      ])
    var open = RefusalWatch()
    #expect(
      open.look([partly], counts: [:], at: start).map(\.text) == [
        "refuses IPv6 that leaves the house: home does not carry it"
      ])
    #expect(watch.look([], counts: [:], at: start + .seconds(3)).isEmpty && watch.due == nil)
  }
}
