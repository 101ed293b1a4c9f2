import Base
import Profile

/// A packet, as far as rules look at it; without a word the first of its connection.
struct Packet {
  var family: AddressFamily
  /// The device it comes in by; `nil` = the router sends it itself.
  var input: DeviceName?
  var output: DeviceName?
  /// `nil` when it is not known; no rule that asks for it matches then.
  var source: IPAddress?
  var mac: MACAddress?
  var destination: IPAddress
  /// The name that the destination was found by.
  var domain: DomainName?
  var transport: IPProtocol
  var port: UInt16
  /// `nil` = one that is taken by chance.
  var sourcePort: UInt16?
  /// An answer finds its connection known already.
  var direction = NftDirection.original
  var mark: UInt32 = 0
  var connectionMark: UInt32 = 0
}
