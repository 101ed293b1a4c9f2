import Base
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "agrees with RFC 4648 section 10, both ways",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func standardVectors(plain: String, text: String) {
    #expect(Base64.text(Array(plain.utf8)) == text)
    #expect(Base64.bytes(text) == Array(plain.utf8))
  }

  @Test("carries every byte value")
  func everyByte() {
    let all = (0...255).map { UInt8($0) }
    #expect(Base64.bytes(Base64.text(all)) == all)
  }

  @Test("skips line ends and spaces, refuses everything else")
  func strangers() {
    #expect(Base64.bytes("Zm9v\r\n Ym\tFy\n") == Array("foobar".utf8))
    for broken in ["Z", "Zg", "Zg=", "Zm8", "Zg==Zg==", "Z=g=", "====", "Zm9-", "Zm9v\u{e9}", "Zm9v="] {
      #expect(Base64.bytes(broken) == nil, "\(broken)")
    }
  }
}
