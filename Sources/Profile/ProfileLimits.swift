/// Every limit of this room, each far above what real profiles and servers send.
package enum ProfileLimits {
  /// A profile with a dozen authorities and a large CRL stays below one megabyte.
  package static let fileBytes = 4 << 20
  /// OpenVPN stops at 256; lists of ciphers and hand-made remotes go beyond.
  package static let lineBytes = 16 << 10
  /// OpenVPN stops at 16.
  package static let words = 128
  /// Holds the largest CRL that is still sensible to send to a router.
  package static let blockBytes = 1 << 20
  package static let optionLines = 50_000
  /// The largest provider profile seen has fewer than 100.
  package static let remotes = 1_000
  /// `config` inside `config`, as deep as OpenVPN goes.
  package static let includeDepth = 10
  /// Further problems of one file are counted, not listed.
  package static let diagnostics = 200
  /// DNS addresses, search domains and split domains, each.
  package static let dnsEntries = 1_024
  /// User name, password or token, in bytes.
  package static let credentialBytes = 4_096

  /// All parts of one push together (protocol.md section 11.4).
  package static let pushedBytes = 256 << 10
  package static let pushedItems = 8_192
}
