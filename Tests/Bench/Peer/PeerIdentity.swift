import Base
import ControlChannel
import Glibc
import TestKit

/// The certificates of one measurement, made on the spot, and the profile that a client needs for them.
enum PeerIdentity {
  static func setup(_ transport: Transport, _ cipher: DataCipher) -> MirrorSetup {
    TestProfile.mirror {
      $0.wrap = .tlsCrypt(TestProfile.staticKey)
      $0.transport = transport
      $0.cipher = cipher
    }
  }

  static func writeProfile(of setup: MirrorSetup, at endpoint: Endpoint, to path: String) throws {
    var text: [UInt8] = []
    let lines = [
      "client", "dev tun", "nobind", "remote-cert-tls server", "data-ciphers \(setup.cipher.rawValue)",
      "remote \(endpoint.address) \(endpoint.port) \(setup.transport.rawValue)",
    ]
    text += Array((lines.joined(separator: "\n") + "\n").utf8)
    let parts = [
      ("ca", TestProfile.authority.pem), ("cert", TestProfile.client.pem), ("key", TestProfile.client.key.pem),
      ("tls-crypt", TestProfile.text(of: TestProfile.staticKey)),
    ]
    for (name, secret) in parts {
      text += Array("<\(name)>\n".utf8) + secret.exposed + Array("</\(name)>\n".utf8)
    }
    guard let file = fopen(path, "w") else { throw PeerFailure(reason: "cannot write \(path)") }
    fchmod(fileno(file), 0o600)
    fwrite(text, 1, text.count, file)
    fclose(file)
  }
}

struct PeerFailure: Error { var reason: String }
