internal import Base
package import Profile

/// What a client says about itself in key-method 2 (protocol.md section 6.2).
package enum PeerInfo {
  /// Bits of IV_PROTO. Only abilities that exist whole are announced: a server acts on each of them.
  package enum Ability: UInt32, CaseIterable {
    case dataV2 = 2
    case requestPush = 4
    case tlsKeyExport = 8
    case authPendingKeyword = 16
    case controlChannelExit = 128
    case authFailedTemporary = 256
    case dynamicTLSCrypt = 512
    case dataEpoch = 1024
    case dnsOptionV2 = 2048
  }

  package static var abilities: UInt32 { Ability.allCases.reduce(0) { $0 | $1.rawValue } }

  package static func text(profile: Profile, remote: Remote) -> String {
    // Servers and scripts read IV_VER as the number of the OpenVPN whose behaviour to expect.
    var lines = ["IV_VER=2.6.0", "IV_PLAT=linux", "IV_TCPNL=1", "IV_MTU=\(remote.tunMTUMaximum)"]
    if profile.dataCiphers.contains(.aes128GCM), profile.dataCiphers.contains(.aes256GCM) {
      lines.append("IV_NCP=2")
    }
    lines.append("IV_CIPHERS=\(profile.dataCiphers.map(\.rawValue).joined(separator: ":"))")
    lines.append("IV_PROTO=\(abilities)")
    if profile.allowsCompression { lines += ["IV_LZO=1", "IV_LZ4=1", "IV_LZ4v2=1"] }
    lines += ["IV_LZO_STUB=1", "IV_COMP_STUB=1", "IV_COMP_STUBv2=1"]
    var said = Set(["IV_GUI_VER"])
    for extra in profile.peerInfo where isAllowed(extra, pushPeerInfo: profile.pushPeerInfo) {
      lines.append("\(extra.name)=\(extra.value)")
      said.insert(extra.name)
    }
    if !profile.peerInfo.contains(where: { $0.name == "IV_GUI_VER" }) { lines.append("IV_GUI_VER=adit") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// `IV_GUI_VER` and `IV_SSO` always, `UV_…` only with `push-peer-info`; never a word that would change the protocol.
  private static func isAllowed(_ extra: NameValue, pushPeerInfo: Bool) -> Bool {
    guard (extra.name + extra.value).unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
      return false
    }
    return ["IV_GUI_VER", "IV_SSO"].contains(extra.name) || (pushPeerInfo && extra.name.hasPrefix("UV_"))
  }
}
