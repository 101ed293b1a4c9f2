import Base
import Profile
import Session
import TestKit
import Testing

@Suite("What a client says about itself")
struct OptionsStringTests {
  private func string(
    _ cipher: DataCipher?, _ auth: Digest? = .sha1, _ transport: Transport = .udp, mtu: Int = 1500,
    compression: CompressionFraming? = nil, wrap: ControlWrapOptions = .none, fragment: FragmentLimit? = nil
  ) -> OptionsString {
    var profile = Profile()
    profile.cipher = cipher
    profile.auth = auth
    profile.compression = compression
    var remote = Remote(host: "h", transport: transport, location: SourceLocation(file: "t"))
    remote.tunMTU = mtu
    remote.wrap = wrap
    remote.fragment = fragment
    return OptionsString(profile: profile, remote: remote)
  }

  @Test("link-mtu as old peers reckon it")
  func linkMTU() {
    #expect(string(.aes256GCM).linkMTU == 1549)
    #expect(string(.aes256GCM, .sha1, .tcp).linkMTU == 1551)
    #expect(string(.aes128CBC).linkMTU == 1557)
    #expect(string(.aes256CBC).linkMTU == 1557)
    #expect(string(.aes256CBC, .sha256).linkMTU == 1569)
    #expect(string(.aes256CBC, .sha512).linkMTU == 1601)
    #expect(string(.aes256GCM, mtu: 1400).linkMTU == 1449)
    #expect(string(.aes256GCM, mtu: 1400, compression: .lzo).linkMTU == 1450)
    #expect(string(.aes256CBC, mtu: 1400).linkMTU == 1457)
  }

  @Test("O-28 fragment shows under its old name, and makes four bytes more")
  func fragment() {
    let limit = FragmentLimit(size: 1300, includesHeaders: false)
    let both = string(.aes256GCM, mtu: 1400, compression: .lzo, fragment: limit)
    #expect(both.linkMTU == 1454)
    #expect(both.text.hasPrefix("V4,dev-type tun,link-mtu 1454,tun-mtu 1400,proto UDPv4,comp-lzo,mtu-dynamic,cipher "))
  }

  @Test("P-03 the whole string in the usual order, which SoftEther takes cipher, digest and device type from")
  func order() {
    let key = SecretBytes(Array("x".utf8))
    let cbc = string(.aes128CBC, .sha256, .tcp, compression: .lzoStub, wrap: .tlsAuth(key: key, direction: 1))
    #expect(
      cbc.text
        == "V4,dev-type tun,link-mtu 1572,tun-mtu 1500,proto TCPv4_CLIENT,comp-lzo,keydir 1,cipher AES-128-CBC,"
        + "auth SHA256,keysize 128,tls-auth,key-method 2,tls-client")
    #expect(
      string(nil).text
        == "V4,dev-type tun,link-mtu 1549,tun-mtu 1500,proto UDPv4,cipher AES-256-GCM,auth [null-digest],keysize 256,"
        + "key-method 2,tls-client")
  }

  @Test("A peer's string gives its cipher, or none")
  func read() {
    #expect(OptionsString.value(of: "cipher", in: "V4,dev-type tun,cipher AES-128-CBC,auth SHA1") == "AES-128-CBC")
    #expect(OptionsString.value(of: "cipher", in: "V4,auth SHA1") == nil)
    #expect(OptionsString.value(of: "cipher", in: "cipher,cipher ,,") == nil)
  }

  @Test("Peer info announces only what is there")
  func peerInfo() {
    let remote = Remote(host: "h", location: SourceLocation(file: "t"))
    var profile = Profile()
    let plain = PeerInfo.text(profile: profile, remote: remote).split(separator: "\n")
    #expect(plain.first == "IV_VER=2.6.0")
    #expect(plain.contains("IV_PROTO=3998"))
    #expect(plain.contains("IV_NCP=2"))
    #expect(plain.contains("IV_CIPHERS=AES-256-GCM:AES-128-GCM:CHACHA20-POLY1305"))
    #expect(plain.contains("IV_LZO_STUB=1"))
    #expect(!plain.contains("IV_LZ4=1"))
    #expect(!plain.contains { $0.hasPrefix("UV_") })
    // The bit of PUSH_UPDATE (4096) breaks a connection that does not have it.
    #expect(PeerInfo.abilities & (1 | 32 | 64 | 4096) == 0)

    profile.dataCiphers = [.chacha20Poly1305, .aes256GCM]
    profile.allowsCompression = true
    profile.peerInfo = [
      NameValue("UV_ID", "7"), NameValue("IV_SSO", "webauth"), NameValue("IV_PROTO", "9999"), NameValue("UV_X", "a\nb"),
      NameValue("IV_GUI_VER", "mine"),
    ]
    profile.pushPeerInfo = true
    let rich = PeerInfo.text(profile: profile, remote: remote).split(separator: "\n")
    #expect(!rich.contains("IV_NCP=2"))
    #expect(rich.contains("IV_LZ4=1"))
    #expect(rich.contains("UV_ID=7"))
    #expect(rich.contains("IV_SSO=webauth"))
    #expect(rich.filter { $0.hasPrefix("IV_PROTO") } == ["IV_PROTO=3998"])
    #expect(rich.filter { $0.hasPrefix("IV_GUI_VER") } == ["IV_GUI_VER=mine"])
    #expect(!rich.contains { $0.hasPrefix("UV_X") })
  }
}
