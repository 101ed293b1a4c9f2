import Base
import Glibc

extension AddressFamily {
  /// The number of the family in netlink messages.
  var number: UInt8 { UInt8(self == .ipv4 ? AF_INET : AF_INET6) }

  init?(number: UInt8) {
    switch Int32(number) {
    case AF_INET: self = .ipv4
    case AF_INET6: self = .ipv6
    default: return nil
    }
  }
}
