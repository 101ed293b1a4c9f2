internal import Base
internal import CLinux

extension adit_address {
  init(_ endpoint: Endpoint) {
    self.init()
    family = endpoint.address.family.rawValue
    port = endpoint.port
    let source = endpoint.address.bytes
    unsafe withUnsafeMutableBytes(of: &bytes) { unsafe $0.copyBytes(from: source) }
  }

  /// `nil` when it is no IP address.
  var endpoint: Endpoint? {
    let count = family == 4 ? 4 : family == 6 ? 16 : 0
    let copy = unsafe withUnsafeBytes(of: bytes) { unsafe Array($0.prefix(count)) }
    return IPAddress(bytes: copy).map { Endpoint(address: $0, port: port) }
  }
}
