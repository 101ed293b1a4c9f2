import Base
import Crypto
import DataChannel
import Glibc

/// Does one kind of work on so many packets and nothing else, for a tool that counts instructions and allocations. Of a
/// run of twice as many packets the difference is what the packets cost. Run by scripts/instructions.
@main
enum BenchCount {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 3, let count = Int(words[2]), count > 0 else {
      print("usage: BenchCount seal|open|segment|coalesce|pump COUNT")
      exit(64)
    }
    switch words[1] {
    case "seal": LaneWork().run(count, opens: false)
    case "open": LaneWork().run(count, opens: true)
    case "segment": OffloadWork().cut(count)
    case "coalesce": OffloadWork().join(count)
    case "pump": try PumpWork().run(count)
    default: exit(64)
    }
  }
}

/// The sealing end and the opening end of a tunnel.
struct Lanes: ~Copyable {
  var up: UpLane
  var down: DownLane

  init() {
    let format = DataFormat(peerID: 5)
    let block = SecretBytes((0..<256).map { UInt8($0) })
    up = UpLane(format: format, random: .system)
    down = DownLane(format: format)
    let isReady =
      up.install(DataKey(keyID: 0, cipher: .aes256GCM, block: block, role: .client))
      && down.install(DataKey(keyID: 0, cipher: .aes256GCM, block: block, role: .server))
    precondition(isReady)
    up.send(with: 0)
  }
}
