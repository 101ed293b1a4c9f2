internal import Base
internal import Profile

/// Asking for the server's settings and collecting the parts of its answer (protocol.md sections 11.3, 11.4).
struct PushExchange {
  /// The server answers repeats at most every 30 s; a lost request is repeated by the reliability layer anyway.
  static let repetition: Duration = .seconds(5)
  /// protocol.md section 11.4 recommends these bounds.
  static let largestSize = 256 << 10
  static let mostItems = 8192

  enum Intake: Hashable {
    case more
    case complete([String])
    /// An answer after the complete one: only a fresh token in it counts.
    case late([String])
    case tooLarge
  }

  private var items: [String] = []
  private var size = 0
  private(set) var isComplete = false
  /// `nil` before the key exchange is done, and after the complete answer.
  var nextRequest: Instant?
  /// When to give up.
  var deadline: Instant?

  mutating func begin(at now: Instant, window: Duration) {
    guard !isComplete else { return }
    nextRequest = now
    deadline = now + window
  }

  mutating func receive(_ part: [String]) -> Intake {
    guard !isComplete else { return .late(part) }
    for item in part where !item.hasPrefix("push-continuation ") {
      items.append(item)
      size += item.utf8.count + 1
    }
    guard size <= Self.largestSize, items.count <= Self.mostItems else { return .tooLarge }
    if PushedOptions.continuation(of: part) == 2 { return .more }
    isComplete = true
    nextRequest = nil
    deadline = nil
    defer { items = [] }
    return .complete(items)
  }
}
