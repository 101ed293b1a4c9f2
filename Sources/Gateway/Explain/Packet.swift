package import Base
package import Profile

/// A packet, as far as rules look at it; without a word the first of its connection.
package struct Packet {
  package var family: AddressFamily
  /// The device it comes in by; `nil` = the router sends it itself.
  package var input: DeviceName?
  package var output: DeviceName?
  /// `nil` when it is not known; no rule that asks for it matches then.
  package var source: IPAddress?
  package var mac: MACAddress?
  package var destination: IPAddress
  /// The name that the destination was found by.
  package var domain: DomainName?
  package var transport: IPProtocol
  package var port: UInt16
  /// `nil` = one that is taken by chance.
  package var sourcePort: UInt16?
  /// An answer finds its connection known already.
  package var direction = NftDirection.original
  package var mark: UInt32 = 0
  package var connectionMark: UInt32 = 0

  package init(
    family: AddressFamily, input: DeviceName? = nil, source: IPAddress? = nil, mac: MACAddress? = nil,
    destination: IPAddress, domain: DomainName? = nil, transport: IPProtocol, port: UInt16
  ) {
    self.family = family
    self.input = input
    self.source = source
    self.mac = mac
    self.destination = destination
    self.domain = domain
    self.transport = transport
    self.port = port
  }
}
