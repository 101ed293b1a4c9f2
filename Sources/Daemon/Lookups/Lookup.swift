internal import Base
internal import Exchange
internal import IO
internal import Supervisor

/// One question for a server's address, from the order to the engine until it has been answered or overtaken.
struct Lookup {
  /// DNS answers within a fraction of this, or not at all; then remembered addresses are tried while it is still asked.
  static let patience: Duration = .seconds(2)
  /// The files of the uplink's resolvers are looked at so often while a name is not found.
  static let interval: Duration = .seconds(1)

  var attempt: Attempt
  /// As asked; with `remote-random-hostname` a random label stands in front.
  var question: String
  /// As configured.
  var host: String
  var family: AddressFamily?
  var resolvers: [Endpoint]
  var began: Instant
  /// The supervisor has been told addresses or the failure.
  var isTold = false
  /// DNS has answered, if only that there is nothing.
  var isHeard = false
  /// It gave an address.
  var isFound = false
  /// When the resolvers are looked for next.
  var looksAt: Instant
}

/// The remembered addresses, and the file that keeps them over a restart of the daemon.
struct RememberedAddresses {
  private static let mode: UInt32 = 0o600
  private let path: String
  private(set) var memory: AddressMemory

  init(stateDirectory: String) {
    path = stateDirectory + "/addresses"
    let file = try? TextFile.read(path, limit: AddressMemory.largest)
    memory = file.map { AddressMemory(String(decoding: $0.bytes, as: UTF8.self)) } ?? AddressMemory()
  }

  /// - Parameter change: returns true when it is worth writing down.
  mutating func keep(_ change: (inout AddressMemory) -> Bool) {
    // A full tmpfs costs no more than the memory of one name.
    if change(&memory) { try? TextFile.write(Array(memory.text.utf8), to: path, mode: Self.mode) }
  }
}
