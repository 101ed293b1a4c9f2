package import Base
internal import CLinux

/// Waits for descriptors (epoll, level-triggered). Waiting allocates nothing.
@safe package struct Poller: ~Copyable {
  /// What a descriptor is, or shall be, ready for.
  package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package init() { rawValue = 0 }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    /// An error or a hang-up; reported unasked.
    package static let broken = Readiness(rawValue: 4)
    package static let readableOrWritable = Readiness(rawValue: 3)
    package static let readableOrBroken = Readiness(rawValue: 5)

    // Every turn of a loop asks, and what OptionSet brings is generic code and arrays when it is called from another room.
    package var isEmpty: Bool { rawValue == 0 }
    package func union(_ other: Readiness) -> Readiness { Readiness(rawValue: rawValue | other.rawValue) }
    package func contains(_ other: Readiness) -> Bool { other.rawValue & ~rawValue == 0 }
    package func isDisjoint(with other: Readiness) -> Bool { other.rawValue & rawValue == 0 }
    package static func == (left: Readiness, right: Readiness) -> Bool { left.rawValue == right.rawValue }
  }

  package struct Event: Hashable, Sendable {
    package var token: UInt64
    package var readiness: Readiness
  }

  /// Events taken per wait; the rest come with the next one.
  package static let mostEvents = 64

  private let poll: FileDescriptor
  private let events: UnsafeMutablePointer<adit_event>
  private var count = 0

  package init() throws(SystemFailure) {
    poll = FileDescriptor(owning: try SystemCall.check(adit_poll_create(), "epoll_create"))
    unsafe events = .allocate(capacity: Self.mostEvents)
    unsafe events.initialize(repeating: adit_event(), count: Self.mostEvents)
  }

  deinit { unsafe events.deallocate() }

  /// Readable when something inside is ready: one poller can wait for another.
  package var descriptor: Int32 { poll.raw }

  package func add(_ descriptor: Int32, for readiness: Readiness, token: UInt64) throws(SystemFailure) {
    try SystemCall.done(adit_poll_add(poll.raw, descriptor, readiness.rawValue, token), "epoll_ctl")
  }

  package func change(_ descriptor: Int32, to readiness: Readiness, token: UInt64) throws(SystemFailure) {
    try SystemCall.done(adit_poll_change(poll.raw, descriptor, readiness.rawValue, token), "epoll_ctl")
  }

  /// Harmless when the descriptor is not there.
  package func remove(_ descriptor: Int32) { _ = adit_poll_remove(poll.raw, descriptor) }

  /// Waits until something is ready or `deadline` is there; `nil` = as long as it takes.
  ///
  /// Use a `TimerDescriptor` where milliseconds matter: this rounds up to one.
  /// - Returns: how many events `subscript` holds now.
  package mutating func wait(until deadline: Instant?) throws(SystemFailure) -> Int {
    var milliseconds: Int32 = -1
    if let deadline {
      let left = max((deadline - Clock.now).wholeNanoseconds, 0)
      milliseconds = Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
    }
    return try take(milliseconds)
  }

  /// The same without waiting.
  package mutating func look() throws(SystemFailure) -> Int { try take(0) }

  private mutating func take(_ milliseconds: Int32) throws(SystemFailure) -> Int {
    let found = unsafe adit_poll_wait(poll.raw, events, Int32(Self.mostEvents), milliseconds)
    count = Int(try SystemCall.check(found, "epoll_wait"))
    return count
  }

  /// Tells what is ready now, without waiting and without touching the events of `wait`.
  func collect(_ body: (Event) -> Void) throws(SystemFailure) {
    var ready = [adit_event](repeating: adit_event(), count: Self.mostEvents)
    let found = unsafe adit_poll_wait(poll.raw, &ready, Int32(Self.mostEvents), 0)
    for event in ready.prefix(Int(try SystemCall.check(found, "epoll_wait"))) {
      body(Event(token: event.token, readiness: Readiness(rawValue: event.readiness)))
    }
  }

  package subscript(index: Int) -> Event {
    precondition(index >= 0 && index < count)
    let event = unsafe events[index]
    return Event(token: event.token, readiness: Readiness(rawValue: event.readiness))
  }
}
