internal import Glibc

/// The convention of the C shim, made Swift: a result of zero or more, or a negated errno.
enum SystemCall {
  static func check(_ result: Int32, _ call: @autoclosure () -> String) throws(SystemFailure) -> Int32 {
    guard result >= 0 else { throw SystemFailure(call(), -result) }
    return result
  }

  static func check(_ result: Int, _ call: @autoclosure () -> String) throws(SystemFailure) -> Int {
    guard result >= 0 else { throw SystemFailure(call(), Int32(truncatingIfNeeded: -result)) }
    return result
  }

  static func done(_ result: Int32, _ call: @autoclosure () -> String) throws(SystemFailure) {
    guard result >= 0 else { throw SystemFailure(call(), -result) }
  }

  /// True for what is no failure of a descriptor that does not block.
  static func wouldBlock(_ result: Int) -> Bool { result == -Int(EAGAIN) || result == -Int(EWOULDBLOCK) }
  static func wouldBlock(_ result: Int32) -> Bool { wouldBlock(Int(result)) }
}
