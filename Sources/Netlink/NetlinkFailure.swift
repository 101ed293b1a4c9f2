internal import Glibc

/// A request that the kernel refused, or a netlink socket that failed.
package struct NetlinkFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was asked for, as ip(8) would put it.
  package var operation: String
  /// The errno of the kernel.
  package var code: Int32
  /// The kernel's own words (NETLINK_EXT_ACK), where it has some.
  package var kernelText: String?

  package init(operation: String, code: Int32, kernelText: String? = nil) {
    self.operation = operation
    self.code = code
    self.kernelText = kernelText
  }

  package var description: String {
    let reason = unsafe String(cString: strerror(code))
    return "\(operation): \(reason)" + (kernelText.map { " (\($0))" } ?? "")
  }
}
