import Base
import TLS
import TestKit

/// A client and a server endpoint with a wire between them that cuts bytes anywhere.
struct Pair: ~Copyable {
  var client: TLSEndpoint
  var server: TLSEndpoint
  var clientProgress = TLSEndpoint.Progress.handshaking
  var serverProgress = TLSEndpoint.Progress.handshaking
  /// Bytes a packet carries.
  var slice = 1_000

  init(client: TLSContext, server: TLSContext) throws {
    let clientEnd = try TLSEndpoint(client)
    let serverEnd = try TLSEndpoint(server)
    self.client = clientEnd
    self.server = serverEnd
  }

  /// Carries bytes to and fro until both are silent.
  mutating func run() {
    for _ in 0..<1_000 {
      clientProgress = client.advance()
      serverProgress = server.advance()
      let up = client.drain(atMost: slice)
      let down = server.drain(atMost: slice)
      if up.isEmpty, down.isEmpty { return }
      server.receive(up)
      client.receive(down)
    }
  }

  var clientFault: Fault? {
    guard case .failed(let fault) = clientProgress else { return nil }
    return fault
  }

  var serverFault: Fault? {
    guard case .failed(let fault) = serverProgress else { return nil }
    return fault
  }
}

/// One authority with a server and a client; each test changes what it is about.
struct World {
  static let authority = TestCertificate.authority()
  static let otherAuthority = TestCertificate.authority(.authority("Another CA"))
  static let server = authority.issue(.server())
  static let client = authority.issue(.client())

  static func clientOptions(_ change: (inout TLSOptions) -> Void = { _ in }) -> TLSOptions {
    var options = TLSOptions()
    options.authorities = [authority.pem]
    options.certificate = client.pem
    options.key = client.key.pem
    change(&options)
    return options
  }

  static func serverOptions(
    _ certificate: TestCertificate = server, _ change: (inout TLSOptions) -> Void = { _ in }
  ) -> TLSOptions {
    var options = TLSOptions()
    options.authorities = [authority.pem]
    options.certificate = certificate.pem
    options.key = certificate.key.pem
    change(&options)
    return options
  }

  static func context(
    _ options: TLSOptions, _ role: TLSContext.Role = .client, at time: WallTime = TestTime.now
  ) throws -> TLSContext { try TLSContext(options, role: role, wallTime: time) }

  /// A handshake run to its end.
  static func handshake(
    client: TLSOptions = clientOptions(), server: TLSOptions = serverOptions(), at time: WallTime = TestTime.now
  ) throws -> (client: Fault?, server: Fault?) {
    var pair = try Pair(client: context(client, at: time), server: context(server, .server, at: TestTime.now))
    pair.run()
    return (pair.clientFault, pair.serverFault)
  }

  /// What the client says to a server with this certificate when it asks for these checks.
  static func verdict(on certificate: TestCertificate, _ ask: (inout ServerChecks) -> Void = { _ in }) throws -> Fault?
  {
    try handshake(client: clientOptions { ask(&$0.checks) }, server: serverOptions(certificate)).client
  }

  /// The fault of building a client from these options.
  static func buildFault(_ options: TLSOptions) -> Fault? {
    do throws(Fault) {
      _ = try TLSContext(options, role: .client, wallTime: TestTime.now)
      return nil
    } catch { return error }
  }
}

extension SecretBytes {
  /// One PEM text behind another.
  static func + (left: SecretBytes, right: SecretBytes) -> SecretBytes { SecretBytes(left.exposed + right.exposed) }
}
