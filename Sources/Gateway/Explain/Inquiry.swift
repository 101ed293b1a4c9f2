package import Base
package import Profile

/// What somebody asks `adit explain`, checked.
package struct Inquiry: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    case address(IPAddress)
    case mac(MACAddress)
  }

  package enum Destination: Hashable, Sendable {
    case anything
    case address(IPAddress)
    case domain(DomainName)
  }

  package var source: Source
  package var destination: Destination
  package var transport: IPProtocol
  package var port: UInt16

  package init(source: Source, destination: Destination = .anything, transport: IPProtocol = .tcp, port: UInt16 = 443) {
    self.source = source
    self.destination = destination
    self.transport = transport
    self.port = port
  }

  /// True when the addresses that names were found at can decide.
  package var needsNames: Bool {
    destination != .anything
  }

  /// - Parameters:
  ///   - transport: `tcp` or `udp`; without a word TCP.
  ///   - port: without a word 443, as of most of what devices do.
  package static func read(
    source: String, destination: String?, transport: String?, port: UInt16?
  ) -> Result<Inquiry, Explanation.Problem> {
    let asked: Source
    if let address = IPAddress(source) {
      asked = .address(address)
    } else if let mac = MACAddress(source) {
      asked = .mac(mac)
    } else {
      return .failure(Explanation.Problem("`\(source)` is neither an address nor a MAC address of a device"))
    }
    var inquiry = Inquiry(source: asked)
    if let destination {
      if let address = IPAddress(destination) {
        inquiry.destination = .address(address)
      } else if let domain = DomainName(destination) {
        inquiry.destination = .domain(domain)
      } else {
        return .failure(Explanation.Problem("`\(destination)` is neither an address nor the name of a host"))
      }
    }
    switch transport {
    case nil, "tcp": break
    case "udp": inquiry.transport = .udp
    case let other?: return .failure(Explanation.Problem("`\(other)` is neither tcp nor udp"))
    }
    inquiry.port = port ?? inquiry.port
    return .success(inquiry)
  }
}
