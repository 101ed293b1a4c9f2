/// Bounds of what crosses between supervisor and engine.
///
/// Larger is a bug of ours or a hostile engine.
package enum ExchangeLimit {
  /// One SOCK_SEQPACKET datagram; the kernel's default send buffer holds a dozen of these.
  package static let message = 16 << 10
  /// What rides beside a message in a sealed memfd: a profile with its files inlined, or a push of thousands of routes.
  package static let attachment = 4 << 20
  /// Push items up to this size travel in the message itself.
  package static let inlineItems = 4 << 10
  /// protocol.md section 11.4 recommends 8192 options.
  package static let items = 8192
  /// A pushed option is at most 255 bytes (protocol.md section 11.4); some slack for lenient servers.
  package static let item = 1024
  /// An answer of the server, a certificate subject, a detail of a fault.
  package static let text = 512
  /// A host name (253) or a tunnel's name.
  package static let name = 255
  package static let fields = 8
  package static let sockets = 16
  package static let addresses = 64
  package static let drops = 64
  /// Addresses in one report of names: 25 bytes each.
  package static let names = 256
  /// Watched domains.
  package static let domains = 32_768
  package static let token = 4 << 10
  /// 30 days, in nanoseconds: no server may send us to sleep for longer.
  package static let span: UInt64 = 30 * 86_400 * 1_000_000_000
  /// No smaller packet must ever be carried whole (RFC 791).
  package static let smallestMTU: UInt16 = 68
}
