import Base
import Crypto
import Testing

@Suite("Key derivation (protocol.md section 7)")
struct PRFTests {
  private func secret(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }

  @Test("the PRF of TLS 1.0 agrees with both published vectors, an even and an odd secret among them")
  func prf() {
    let short = PRF.tls1(secret: secret("tls1-prf-test-secret"), seed: Array("tls1-prf-test".utf8), count: 8)
    #expect(Hex.text(short.exposed) == "7144fe2540737595")
    let lorem = """
      Lorem ipsum dolor sit amet, consectetur adipisici elit, sed eiusmod tempor incidunt ut labore et dolore magna \
      aliqua.
      """
    let quis = "Quis aute iure reprehenderit in voluptate velit esse cillum dolore"
    let long = PRF.tls1(secret: secret(lorem), seed: Array(quis.utf8), count: 32)
    #expect(Hex.text(long.exposed) == "d98c8518c85e946927916acfc2d592fbb1567e4b4b1459e6a904ac2ddab72d67")
  }

  @Test("the key block of the reference chain, quarter by quarter")
  func chain() {
    func random(_ byte: UInt8) -> SecretBytes { SecretBytes(Array(repeating: byte, count: 32)) }
    let block = KeyBlock.expand(
      preMaster: SecretBytes(Array(0...0x2f)), clientRandom1: random(0x11), clientRandom2: random(0x22),
      serverRandom1: random(0x33), serverRandom2: random(0x44), clientSession: Array(1...8),
      serverSession: Array(0x11...0x18))
    #expect(block.count == KeyBlock.size)
    let expected: [(Int, KeyBlock.Part, String)] = [
      (
        0, .cipher,
        "11dc8864c0c910c479e42de248b998f109745b636a380ca89a108a7f4dc5583c"
          + "ba755865f945cbd2a98fef449e57e789aa0a0213c585d2cea749f728dfcdfcc1"
      ),
      (
        0, .hmac,
        "07048f7edda513be44f8d3950dc6df8d85e8894442f77da4e3d3ac9623015df9"
          + "024892bec7b825340e045a817fbdd50a9c5240fbc950126753a115c1090e103f"
      ),
      (
        1, .cipher,
        "55cf1bfd5af7971537ca6b39568aa144dabc31071981572025a92441523fd2ed"
          + "7c96b34df8cd010f4f07a8cb91cbd2dc72c633a40fcfd34dea891ebd615d966e"
      ),
      (
        1, .hmac,
        "6ac3731f81a40976c362fbd0b222e4f10a8ed7fde1a76db611abf855c3961799"
          + "a9688ed1b7c956e7aee9a9e39b10f1a285adc694eabb4aaf7bfca57a94a7d4d5"
      ),
    ]
    for (index, part, hex) in expected {
      let offset = KeyBlock.offset(index, part)
      #expect(Hex.text(block.slice(offset..<offset + KeyBlock.quarter).exposed) == hex)
    }
  }

  @Test("the master secret of the reference chain")
  func master() {
    let seed =
      Array("OpenVPN master secret".utf8) + Array(repeating: 0x11, count: 32) + Array(repeating: 0x33, count: 32)
    let master = PRF.tls1(secret: SecretBytes(Array(0...0x2f)), seed: seed, count: 48)
    #expect(
      Hex.text(master.exposed)
        == "7c7d0aa80f877d74f501c2ea05659ec1e9c43e7f245177a047cd1915d2d348c74033f9abecf460388499d42ed73346f5")
  }
}
