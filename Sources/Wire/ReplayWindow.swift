/// Remembers which packet ids arrived, so that none is taken twice (protocol.md section 8.5; the ring of blocks is the
/// one RFC 6479 describes: sliding forward clears whole words instead of shifting all bits).
///
/// An id may be late by the size of the window, and in time by what the owner's calls of `age` are apart.
@safe package struct ReplayWindow: ~Copyable {
  /// What `replay-window` may ask for at most.
  package static let largestSize = 65_536

  /// Ids behind the newest that are still taken; 0 = strict, only the next id is.
  package let size: UInt64
  private let words: UnsafeMutablePointer<UInt64>
  private let wordCount: Int
  /// The newest id taken; 0 = none yet.
  package private(set) var newest: UInt64 = 0
  /// Ids up to this one are taken no more, be they in the window or not.
  private var floor: UInt64 = 0
  /// The newest id when `age` was last called.
  private var mark: UInt64 = 0

  /// - Parameter size: clamped to 0...`largestSize`.
  package init(size: Int) {
    let size = min(max(size, 0), ReplayWindow.largestSize)
    self.size = UInt64(size)
    // One word more than the window: the word of the newest id is only partly in use. A power of two, for the mask.
    var count = 2
    while count < size / 64 + 2 { count *= 2 }
    wordCount = count
    unsafe words = .allocate(capacity: count)
    unsafe words.initialize(repeating: 0, count: count)
  }

  deinit { unsafe words.deallocate() }

  /// Forgets everything.
  package mutating func reset() {
    newest = 0
    floor = 0
    mark = 0
    unsafe words.update(repeating: 0, count: wordCount)
  }

  /// True when `id` is neither known, nor too old, nor 0; changes nothing.
  package func wouldAccept(_ id: UInt64) -> Bool {
    if id > newest { return size > 0 || id - newest == 1 }
    // Differences, never sums: near the end of the number range a sum would overflow.
    guard id > floor, newest - id < size else { return false }
    return unsafe words[slot(id)] & bit(id) == 0
  }

  /// Takes an id that `wouldAccept` it, only after its packet authenticated.
  ///
  /// - Returns: false, changing nothing, for a replay.
  package mutating func accept(_ id: UInt64) -> Bool {
    guard wouldAccept(id) else { return false }
    if id > newest {
      var cleared = id / 64 - newest / 64
      if cleared > UInt64(wordCount) { cleared = UInt64(wordCount) }
      var word = id / 64
      while cleared > 0 {
        unsafe words[Int(truncatingIfNeeded: word) & (wordCount - 1)] = 0
        word &-= 1
        cleared -= 1
      }
      newest = id
    }
    unsafe words[slot(id)] |= bit(id)
    return true
  }

  /// Takes no more what the call before this one already found missing.
  package mutating func age() {
    floor = mark
    mark = newest
  }

  private func slot(_ id: UInt64) -> Int { Int(truncatingIfNeeded: id / 64) & (wordCount - 1) }
  private func bit(_ id: UInt64) -> UInt64 { 1 << (id % 64) }
}
