import Base
import COpenSSL
import Crypto
import Testing

@Suite("ChaCha20-Poly1305 of packets")
struct ChaChaTests {
  @Test("agrees with RFC 8439, section 2.8.2")
  func vector() {
    let key = SecretBytes((0x80...0x9f).map { UInt8($0) })
    let nonce: [UInt8] = [7, 0, 0, 0] + Array(0x40...0x47)
    let aad: [UInt8] = Array(0x50...0x53) + Array(0xc0...0xc7)
    let plain = Array(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
        .utf8)
    let sealed = seal(plain, key: key, nonce: nonce, aad: aad)
    #expect(
      Hex.text(sealed.text) == """
        d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b\
        1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
        3ff4def08e4b7a9de576d26586cec64b6116
        """)
    #expect(Hex.text(sealed.tag) == "1ae10b594f09e26a7e902ecbd0600691")
  }

  @Test("every length is what OpenSSL's own makes of it, also after longer ones, and opens again")
  func everyLength() {
    let random = RandomSource.seeded(8439)
    let key = SecretBytes(random.bytes(32))
    var sealer = Self.context(key, .seal)
    var opener = Self.context(key, .open)
    var wrong: [Int] = []
    for count in Array(0...2_100) + Array((0...2_100).reversed()) {
      let nonce = random.bytes(12)
      let aad = random.bytes([4, 8, 12, 16, 20][count % 5])
      let plain = random.bytes(count)
      let expected = seal(plain, key: key, nonce: nonce, aad: aad)
      // In place, with something behind it that stays.
      var bytes = plain + [0xa5, 0x5a]
      var tag = [UInt8](repeating: 0, count: 16)
      let isSealed = bytes.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return false }
        return sealer.seal(
          nonce: nonce, aad: aad, aadCount: aad.count, from: base, count: count, into: base, tag: &tag)
      }
      let isRight = isSealed && bytes == expected.text + [0xa5, 0x5a] && tag == expected.tag
      let isOpened = bytes.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return false }
        return opener.open(
          nonce: nonce, aad: aad, aadCount: aad.count, from: base, count: count, into: base, tag: tag)
      }
      if !isRight || !isOpened || bytes != plain + [0xa5, 0x5a] { wrong.append(count) }
    }
    #expect(wrong == [])
  }

  @Test("another key is another key for packets of every length", arguments: [100, 1_440, 2_048, 2_049])
  func rekeyed(count: Int) {
    let random = RandomSource.seeded(7)
    let (first, second) = (SecretBytes(random.bytes(32)), SecretBytes(random.bytes(32)))
    let (nonce, aad, plain) = (random.bytes(12), random.bytes(8), random.bytes(count))
    var sealer = Self.context(first, .seal)
    let isTaken = sealer.rekey(second)
    var sealed = plain
    var tag = [UInt8](repeating: 0, count: 16)
    let isSealed = sealer.seal(nonce: nonce, aad: aad, aadCount: 8, from: plain, count: count, into: &sealed, tag: &tag)
    let expected = seal(plain, key: second, nonce: nonce, aad: aad)
    #expect(isTaken && isSealed && sealed == expected.text && tag == expected.tag)
  }

  @Test("a forged packet leaves nothing behind", arguments: [1, 64, 1_440])
  func forged(count: Int) {
    let random = RandomSource.seeded(9)
    let key = SecretBytes(random.bytes(32))
    let (nonce, aad) = (random.bytes(12), random.bytes(8))
    let sealed = seal(random.bytes(count), key: key, nonce: nonce, aad: aad)
    var opener = Self.context(key, .open)
    for bit in 0..<128 {
      var tag = sealed.tag
      tag[bit / 8] ^= 1 << UInt8(bit % 8)
      var out = [UInt8](repeating: 0x55, count: count)
      let isOpened = opener.open(
        nonce: nonce, aad: aad, aadCount: 8, from: sealed.text, count: count, into: &out, tag: tag)
      #expect(!isOpened && out == [UInt8](repeating: 0x55, count: count))
    }
  }

  private static func context(_ key: SecretBytes, _ direction: CipherDirection) -> AEADContext {
    guard let context = AEADContext(cipher: .chacha20Poly1305, key: key, direction: direction) else {
      fatalError("no context")
    }
    return context
  }

  /// By OpenSSL's own AEAD.
  private func seal(_ plain: [UInt8], key: SecretBytes, nonce: [UInt8], aad: [UInt8]) -> (text: [UInt8], tag: [UInt8]) {
    var text = [UInt8](repeating: 0, count: plain.count)
    var tag = [UInt8](repeating: 0, count: 16)
    var written: Int32 = 0
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    let isDone = key.withBytes { key in
      EVP_EncryptInit_ex(
        context, EVP_chacha20_poly1305(), nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce) == 1
        && EVP_EncryptUpdate(context, nil, &written, aad, Int32(aad.count)) == 1
        && EVP_EncryptUpdate(context, &text, &written, plain, Int32(plain.count)) == 1
        && EVP_EncryptFinal_ex(context, nil, &written) == 1
        && EVP_CIPHER_CTX_ctrl(context, Int32(EVP_CTRL_AEAD_GET_TAG), 16, &tag) == 1
    }
    #expect(isDone)
    return (text, tag)
  }
}
