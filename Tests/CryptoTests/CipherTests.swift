import Base
import Crypto
import Testing

@Suite("Ciphers")
struct CipherTests {
  @Test("AES-256-CTR agrees with NIST SP 800-38A, F.5.5, and undoes itself")
  func counter() throws {
    let key = try #require(Hex.bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
    let iv = try #require(Hex.bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
    let plain = try #require(Hex.bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"))
    let sealed = CounterCipher.apply(key: key, iv: iv, to: plain)
    #expect(Hex.text(sealed) == "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5")
    #expect(CounterCipher.apply(key: SecretBytes(key), iv: iv, to: sealed) == plain)
    #expect(CounterCipher.apply(key: key, iv: iv, to: []) == [])
  }

  private func key(_ cipher: DataCipher) -> SecretBytes { SecretBytes((0..<cipher.keyLength).map { UInt8($0) }) }

  @Test("AEAD: what was sealed opens; a flipped bit anywhere does not", arguments: DataCipher.allCases.filter(\.isAEAD))
  func aead(cipher: DataCipher) throws {
    guard var sealer = AEADContext(cipher: cipher, key: key(cipher), direction: .seal),
      var opener = AEADContext(cipher: cipher, key: key(cipher), direction: .open)
    else {
      Issue.record("no context")
      return
    }
    let aad: [UInt8] = Array(1...8)
    let plain: [UInt8] = Array(0..<100)
    for round in 0..<3 as Range<UInt8> {
      let nonce: [UInt8] = Array(repeating: round, count: 12)
      var tag = [UInt8](repeating: 0, count: 16)
      var sealed = plain
      let ok = sealed.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return false }
        return sealer.seal(
          nonce: nonce, aad: aad, aadCount: 8, from: base, count: 100, into: base, tag: &tag)
      }
      #expect(ok && sealed != plain)
      func open(_ nonce: [UInt8], _ aad: [UInt8], _ sealed: [UInt8], _ tag: [UInt8], _ opener: inout AEADContext)
        -> [UInt8]?
      {
        var out = [UInt8](repeating: 0, count: sealed.count)
        let ok = opener.open(
          nonce: nonce, aad: aad, aadCount: aad.count, from: sealed, count: sealed.count, into: &out, tag: tag)
        return ok ? out : nil
      }
      func flipped(_ bytes: [UInt8], _ index: Int) -> [UInt8] {
        var bytes = bytes
        bytes[index] ^= 0x10
        return bytes
      }
      let bad = [
        open(flipped(nonce, 3), aad, sealed, tag, &opener), open(nonce, flipped(aad, 7), sealed, tag, &opener),
        open(nonce, aad, flipped(sealed, 99), tag, &opener), open(nonce, aad, sealed, flipped(tag, 0), &opener),
      ]
      #expect(bad == [nil, nil, nil, nil])
      let good = open(nonce, aad, sealed, tag, &opener)
      #expect(good == plain)
    }
  }

  @Test(
    "CBC: every length comes back, in place and elsewhere",
    arguments: [DataCipher.aes128CBC, .aes192CBC, .aes256CBC])
  func cbc(cipher: DataCipher) {
    guard var sealer = BlockCipherContext(cipher: cipher, key: key(cipher), direction: .seal),
      var opener = BlockCipherContext(cipher: cipher, key: key(cipher), direction: .open)
    else {
      Issue.record("no context")
      return
    }
    let iv: [UInt8] = Array(0..<16)
    for count in 0...40 {
      let plain = (0..<count).map { UInt8($0) }
      let total = BlockCipherContext.sealedCount(count)
      var apart = [UInt8](repeating: 0, count: total)
      let first = sealer.seal(iv: iv, from: plain, count: count, into: &apart)
      var place = plain + [UInt8](repeating: 0, count: total - count)
      let opened = place.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress, sealer.seal(iv: iv, from: base, count: count, into: base),
          bytes.elementsEqual(apart)
        else { return -2 }
        return opener.open(iv: iv, from: base, count: total, into: base)
      }
      #expect(first && opened == count && Array(place.prefix(count)) == plain)
    }
    var out = [UInt8](repeating: 0, count: 64)
    let wrong = [0, 1, 15, 17].map {
      opener.open(iv: iv, from: [UInt8](repeating: 7, count: $0), count: $0, into: &out)
    }
    #expect(wrong == [-1, -1, -1, -1])
  }

  @Test("a key of the wrong length and a cipher of the other kind are refused")
  func refused() {
    let key = SecretBytes([UInt8](repeating: 1, count: 32))
    let short = AEADContext(cipher: .aes128GCM, key: key, direction: .seal) == nil
    let kind = AEADContext(cipher: .aes256CBC, key: key, direction: .seal) == nil
    let other = BlockCipherContext(cipher: .aes256GCM, key: key, direction: .open) == nil
    #expect(short && kind && other)
  }
}

@Suite("Random bytes")
struct RandomSourceTests {
  @Test("a seed names one sequence, however it is asked for")
  func seeded() {
    let whole = RandomSource.seeded(7).bytes(40)
    let source = RandomSource.seeded(7)
    #expect(source.bytes(3) + source.bytes(0) + source.bytes(37) == whole)
    #expect(RandomSource.seeded(8).bytes(40) != whole)
  }

  @Test("the system's bytes differ")
  func system() {
    #expect(RandomSource.system.bytes(32) != RandomSource.system.bytes(32))
    #expect(RandomSource.system.uint64() != RandomSource.system.uint64())
    #expect(RandomSource.system.secret(48).count == 48)
  }

  @Test("it shuffles as a generator")
  func generator() {
    var source = RandomSource.seeded(1)
    #expect((0..<20).shuffled(using: &source) != Array(0..<20))
  }
}
