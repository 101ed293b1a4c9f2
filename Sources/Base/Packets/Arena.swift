/// One allocation for life, from which bursts take their room. Never grown, never returned before the end.
@safe package struct Arena: ~Copyable {
  package let base: UnsafeMutableRawPointer
  /// Bytes.
  package let capacity: Int

  package init(capacity: Int) {
    precondition(capacity > 0)
    unsafe base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 64)
    self.capacity = capacity
  }

  deinit { unsafe base.deallocate() }
}
