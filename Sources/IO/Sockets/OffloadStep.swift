package import Base
internal import CLinux

/// One way of batching that is not used, although it was to be.
package struct OffloadStep: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The kernel has no such thing; an errno.
    case missing(Int32)
    /// It has it, and refused it at run time.
    case refused(Int32)
    /// It refuses datagrams of so many bytes and more, and takes smaller ones.
    case tooLarge(Int)
    /// This version is known to damage packets so.
    case mangled
  }

  package var offload: Offloads
  package var reason: Reason

  package init(_ offload: Offloads, _ reason: Reason) {
    self.offload = offload
    self.reason = reason
  }
}

/// What no probe finds out.
package enum KernelVersion {
  /// Linux 7.0.0 to 7.1.4 damages runs whose datagrams are all of one size (tailscale issues 19777 and 21335).
  package static func manglesSegments(_ version: UInt32) -> Bool { (0x07_00_00...0x07_01_04).contains(version) }

  static var manglesSegments: Bool { manglesSegments(adit_kernel_version()) }
}
