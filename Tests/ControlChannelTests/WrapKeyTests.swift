import Base
import ControlChannel
import Crypto
import Testing

@Suite("Key files of the control channel") struct WrapKeyTests {
  private static let begin = "-----BEGIN OpenVPN Static key V1-----\n"
  private static let end = "\n-----END OpenVPN Static key V1-----\n"

  private func text(_ string: String) -> SecretBytes { SecretBytes(Array(string.utf8)) }

  private func fault(_ read: () throws(Fault) -> WrapKey) -> String? {
    do throws(Fault) {
      _ = try read()
      return nil
    } catch {
      return error.code == .wrapKeyInvalid ? error.detail : "\(error.code)"
    }
  }

  @Test("static keys with remarks around them") func staticKeys() throws {
    let file = text("# 2048 bit\n" + Self.begin + Vectors.testKeyDigits + Self.end)
    let key = try Vectors.testKey()
    #expect(try WrapKey.readTLSAuth(file, digest: .sha1, direction: 1) == .tlsAuth(key, .sha1, direction: 1))
    #expect(try WrapKey.readTLSAuth(file, digest: .sha512, direction: nil) == .tlsAuth(key, .sha512, direction: nil))
    #expect(try WrapKey.readTLSCrypt(file) == .tlsCrypt(key))
  }

  @Test("U-07 what is wrong with a key is named") func broken() {
    let digits = Vectors.testKeyDigits
    let edited = text(Self.begin + digits + "\n-----END OpenVPN Statickey V1-----")
    #expect(
      fault { () throws(Fault) in try WrapKey.readTLSAuth(edited, digest: .sha1, direction: 1) }
        == "tls-auth key: no END line")
    #expect(fault { () throws(Fault) in try WrapKey.readTLSCrypt(text(digits)) } == "tls-crypt key: no BEGIN line")
    let half = text(Self.begin + String(repeating: "00", count: 128) + Self.end)
    #expect(fault { () throws(Fault) in try WrapKey.readTLSCrypt(half) } == "tls-crypt key: 128 bytes, wanted are 256")
    #expect(fault { () throws(Fault) in try WrapKey.readTLSAuth(half, digest: .sha1, direction: nil) } == nil)
    #expect(fault { () throws(Fault) in try WrapKey.readTLSAuth(half, digest: .sha1, direction: 0) } != nil)
    let whole = text(Self.begin + digits + Self.end)
    #expect(
      fault { () throws(Fault) in try WrapKey.readTLSAuth(whole, digest: nil, direction: 0) }
        == "tls-auth cannot work with auth none")
  }

  @Test("O-46 tls-crypt-v2 client and server keys go to text and back") func clientKeys() throws {
    let server = try Vectors.serverKey()
    #expect(try TLSCryptV2ServerKey(text: server.text) == server)
    let key = try Vectors.countingKey()
    let wrapped = try #require(server.wrap(key, metadata: [1, 0, 0, 0, 0, 0, 0, 0, 0]))
    let file = TLSCryptV2ServerKey.clientKeyText(key, wrapped: wrapped)
    #expect(try WrapKey.readTLSCryptV2(file) == .tlsCryptV2(key, wrapped: wrapped))
    #expect(fault { () throws(Fault) in try WrapKey.readTLSCryptV2(server.text) } == "tls-crypt-v2 key: no BEGIN line")
  }

  @Test("a client key whose length does not add up is refused") func clientKeyLengths() throws {
    let server = try Vectors.serverKey()
    let key = try Vectors.countingKey()
    let good = try #require(server.wrap(key, metadata: []))
    let wrong: [[UInt8]] = [
      [], Array(good.dropLast()), good + [0], Array(good.dropLast(2)) + [4, 1], Array(repeating: 0, count: 290),
    ]
    for wrapped in wrong {
      let file = TLSCryptV2ServerKey.clientKeyText(key, wrapped: wrapped)
      #expect(
        fault { () throws(Fault) in try WrapKey.readTLSCryptV2(file) } == "tls-crypt-v2 key: its length does not add up"
      )
    }
  }
}
