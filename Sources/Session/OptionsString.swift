package import Base
package import Profile

/// The options string of key-method 2 (protocol.md section 6.1).
///
/// Modern servers ignore it. Servers that do not negotiate ciphers (SoftEther, MikroTik, OpenVPN 2.3) take cipher, digest
/// and device type from it, so it is complete, in the usual order, and always names a cipher (P-03).
package struct OptionsString: Hashable, Sendable {
  package var mtu: Int
  package var transport: Transport
  package var hasCompression: Bool
  package var fragments: Bool
  /// Of tls-auth.
  package var keyDirection: Int?
  package var usesTLSAuth: Bool
  package var cipher: DataCipher
  package var auth: Digest?

  package init(profile: Profile, remote: Remote) {
    mtu = remote.tunMTU
    transport = remote.transport
    hasCompression = profile.compression.map { $0 != .none } ?? false
    fragments = remote.fragment != nil
    cipher = profile.cipher ?? profile.dataCiphers.first ?? .aes256GCM
    auth = profile.auth
    usesTLSAuth = false
    if case .tlsAuth(_, let direction) = remote.wrap {
      usesTLSAuth = true
      keyDirection = direction
    }
  }

  package var text: String {
    var items = ["V4", "dev-type tun", "link-mtu \(linkMTU)", "tun-mtu \(mtu)"]
    items.append(transport == .udp ? "proto UDPv4" : "proto TCPv4_CLIENT")
    if hasCompression { items.append("comp-lzo") }
    if fragments { items.append("mtu-dynamic") }
    if let keyDirection { items.append("keydir \(keyDirection)") }
    items.append("cipher \(cipher.rawValue)")
    items.append("auth \(cipher.isAEAD ? "[null-digest]" : auth?.rawValue ?? "[null-digest]")")
    items.append("keysize \(cipher.keyLength * 8)")
    if usesTLSAuth { items.append("tls-auth") }
    return (items + ["key-method 2", "tls-client"]).joined(separator: ",")
  }

  /// The largest packet on the link, as old peers reckon it.
  package var linkMTU: Int {
    let opcode = 1
    let packetID = 4
    // AEAD: tag, IV and one block; CBC: HMAC, IV and one block.
    let crypto = cipher.isAEAD ? 16 + 12 + 16 : (auth?.size ?? 0) + 16 + 16
    return mtu + opcode + packetID + crypto + (transport == .tcp ? 2 : 0) + (hasCompression ? 1 : 0)
      + (fragments ? 4 : 0)
  }

  /// The value of one item of a peer's string, such as `cipher`.
  package static func value(of name: String, in text: String) -> String? {
    for item in text.split(separator: ",") {
      let words = item.split(separator: " ")
      if words.count == 2, words[0] == name { return String(words[1]) }
    }
    return nil
  }
}
