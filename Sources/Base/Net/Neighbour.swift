/// A host on one of our links: what ARP or neighbour discovery learned.
package struct Neighbour: Hashable, Sendable {
  package var address: IPAddress
  package var mac: MACAddress
  package var device: DeviceName

  package init(address: IPAddress, mac: MACAddress, device: DeviceName) {
    self.address = address
    self.mac = mac
    self.device = device
  }
}
