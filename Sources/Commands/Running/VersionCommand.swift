import Base
package import Control
import Crypto
import IO

/// `adit version`: who we are, and how fast this CPU encrypts.
package enum VersionCommand {
  package struct Speed: Hashable, Sendable {
    package var cipher: String
    package var megabytesPerSecond: Int64

    package init(cipher: String, megabytesPerSecond: Int64) {
      self.cipher = cipher
      self.megabytesPerSecond = megabytesPerSecond
    }
  }

  package static func run(asJSON: Bool) -> ExitCode {
    let speeds = measure()
    Terminal.say(asJSON ? json(speeds).line + "\n" : text(speeds))
    return .ok
  }

  package static func text(_ speeds: [Speed]) -> String {
    let width = speeds.map(\.cipher.count).max() ?? 0
    let rows = speeds.map { speed in
      "  \(speed.cipher)\(String(repeating: " ", count: width - speed.cipher.count))  \(speed.megabytesPerSecond) MB/s\n"
    }
    return
      "adit \(Version.text)\n\(LibraryVersion.openSSL)\nencrypting packets of \(packetSize) bytes on one core:\n"
      + rows.joined()
  }

  package static func json(_ speeds: [Speed]) -> JSONValue {
    .object([
      .init("version", .string(Version.text)), .init("openssl", .string(LibraryVersion.openSSL)),
      .init(
        "ciphers",
        .array(
          speeds.map {
            .object([.init("name", .string($0.cipher)), .init("megabytes_per_second", .number($0.megabytesPerSecond))])
          })),
    ])
  }

  private static let packetSize = 1_400
  /// Long enough for a steady figure, short enough to wait for.
  private static let span: Duration = .milliseconds(60)

  private static func measure() -> [Speed] {
    DataCipher.allCases.filter(\.isAEAD).compactMap { cipher in
      measure(cipher).map { Speed(cipher: cipher.rawValue, megabytesPerSecond: $0) }
    }
  }

  private static func measure(_ cipher: DataCipher) -> Int64? {
    let key = SecretBytes([UInt8](repeating: 7, count: cipher.keyLength))
    guard var context = AEADContext(cipher: cipher, key: key, direction: .seal) else { return nil }
    var packet = [UInt8](repeating: 1, count: packetSize)
    var tag = [UInt8](repeating: 0, count: 16)
    var nonce = [UInt8](repeating: 0, count: 12)
    let start = Clock.now
    var count: UInt64 = 0
    while Clock.now - start < span {
      for _ in 0..<64 {
        // The same bytes under a changing nonce: a speed, not a secret.
        nonce[0] &+= 1
        let isSealed = unsafe packet.withUnsafeMutableBytes { packet in
          unsafe tag.withUnsafeMutableBytes { tag in
            unsafe nonce.withUnsafeBytes { nonce in
              unsafe seal(&context, packet, tag, nonce)
            }
          }
        }
        guard isSealed else { return nil }
      }
      count += 64
    }
    let elapsed = (Clock.now - start).wholeNanoseconds
    return elapsed > 0 ? Int64(count) * Int64(packetSize) * 1_000 / elapsed : nil
  }

  private static func seal(
    _ context: inout AEADContext, _ packet: UnsafeMutableRawBufferPointer, _ tag: UnsafeMutableRawBufferPointer,
    _ nonce: UnsafeRawBufferPointer
  ) -> Bool {
    guard let bytes = packet.baseAddress, let tag = tag.baseAddress, let nonce = nonce.baseAddress else { return false }
    return unsafe context.seal(
      nonce: nonce, aad: nonce, aadCount: 4, from: UnsafeRawPointer(bytes), count: packet.count, into: bytes, tag: tag)
  }
}
