import Base
import Testing

@Suite struct BytesTests {
  @Test("a reader gives nil past the end and stays where it was") func reader() {
    var reader = ByteReader([1, 2, 3])
    #expect(reader.readUInt16() == 0x0102)
    #expect(reader.readUInt32() == nil)
    #expect(reader.readBytes(2) == nil)
    #expect(reader.readBytes(-1) == nil)
    #expect(reader.readByte() == 3)
    #expect(reader.isAtEnd)
  }

  @Test("integers append big-endian") func writer() {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: UInt16(0x0102))
    bytes.append(bigEndian: UInt32(0x0304_0506))
    bytes.append(bigEndian: UInt64(0x0708_090a_0b0c_0d0e))
    #expect(Hex.text(bytes) == "0102030405060708090a0b0c0d0e")
  }

  @Test("hex refuses odd and foreign digits") func hex() {
    #expect(Hex.bytes("00 fF\n10") == [0, 255, 16])
    #expect(Hex.bytes("0") == nil)
    #expect(Hex.bytes("0g") == nil)
    let digits = (0...255 as ClosedRange<UInt8>).filter { Hex.value(ofDigit: $0) != nil }
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
  }

  @Test("a text is found where it stands first, up to the very end") func search() {
    let bytes = Array("aabab".utf8)
    #expect(bytes[...].firstRange(of: "ab") == 1..<3)
    #expect(bytes[2...].firstRange(of: "ab") == 3..<5)
    #expect(bytes[...].firstRange(of: "ba") == 2..<4)
    #expect(bytes[...4].firstRange(of: "aabab ") == nil)
  }

  @Test("a secret prints as dots, compares by content and slices") func secret() {
    let secret = SecretBytes(Array("hunter2".utf8))
    #expect("\(secret)" == "••••")
    #expect(String(reflecting: secret).contains("hunter2") == false)
    #expect(secret == SecretBytes(Array("hunter2".utf8)))
    #expect(secret != SecretBytes(Array("hunter3".utf8)))
    #expect(secret.slice(0..<3).exposed == Array("hun".utf8))
    #expect(secret.slice(5..<99).exposed == Array("r2".utf8))
    #expect(SecretBytes([]).isEmpty)
  }

  @Test("a burst lists what fits and refuses what does not") func burst() {
    var burst = Burst(capacity: 400, maximumCount: 2)
    let first = burst.append(copying: [1, 2, 3])
    let tooLarge = burst.append(copying: [UInt8](repeating: 0, count: 300))
    let second = burst.append(copying: [4])
    let third = burst.append(copying: [5])
    #expect(first && !tooLarge && second && !third)
    let copies = (burst.copy(0), burst.copy(1))
    #expect(copies.0 == [1, 2, 3] && copies.1 == [4])
    burst.reset()
    let (count, free) = (burst.count, burst.free)
    #expect(count == 0 && free == 400)
  }
}
