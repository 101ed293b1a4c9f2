internal import Base
internal import COpenSSL

/// Names in certificates as OpenVPN prints them (protocol.md section 5.3), because profiles compare with that print.
enum DistinguishedName {
  /// `C=KG, ST=NA, L=Bishkek, CN=Server-1`.
  static func subject(of certificate: OpaquePointer) -> String { unsafe text(of: X509_get_subject_name(certificate)) }

  static func issuer(of certificate: OpaquePointer) -> String { unsafe text(of: X509_get_issuer_name(certificate)) }

  /// The username fields joined by `_`; `nil` when one of them is missing.
  static func username(of certificate: OpaquePointer, fields: [String]) -> String? {
    var parts: [String] = []
    for field in fields {
      guard let part = unsafe value(of: field, in: certificate) else { return nil }
      parts.append(part)
    }
    return parts.joined(separator: "_")
  }

  /// An object's long name, or its number in dots.
  static func text(of object: OpaquePointer, asNumber: Bool) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    let count = unsafe OBJ_obj2txt(&buffer, Int32(buffer.count), object, asNumber ? 1 : 0)
    let bytes = buffer.prefix(Int(min(max(count, 0), 127))).map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func text(of name: OpaquePointer?) -> String {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { return "" }
    defer { unsafe BIO_free(bio) }
    let flags = UInt(XN_FLAG_SEP_CPLUS_SPC | XN_FLAG_FN_SN | ASN1_STRFLGS_UTF8_CONVERT | ASN1_STRFLGS_ESC_CTRL)
    guard unsafe X509_NAME_print_ex(bio, name, 0, flags) >= 0 else { return "" }
    return unsafe printable(MemoryBIO.readAll(bio))
  }

  private static func value(of field: String, in certificate: OpaquePointer) -> String? {
    switch field {
    case "serialNumber": return unsafe serial(of: certificate)
    case "ext:subjectAltName": return unsafe lastMail(in: certificate, NID_subject_alt_name)
    case "ext:issuerAltName": return unsafe lastMail(in: certificate, NID_issuer_alt_name)
    default: return unsafe lastEntry(field, in: certificate)
    }
  }

  /// The last of several entries counts, as in OpenVPN.
  private static func lastEntry(_ field: String, in certificate: OpaquePointer) -> String? {
    guard let object = unsafe OBJ_txt2obj(field, 0) ?? OBJ_txt2obj(field.uppercased(), 0) else { return nil }
    defer { unsafe ASN1_OBJECT_free(object) }
    let name = unsafe X509_get_subject_name(certificate)
    var last: Int32 = -1
    while true {
      let next = unsafe X509_NAME_get_index_by_OBJ(name, object, last)
      if next < 0 { break }
      last = next
    }
    guard last >= 0, let entry = unsafe X509_NAME_get_entry(name, last) else { return nil }
    return unsafe utf8(X509_NAME_ENTRY_get_data(entry)).map(printable)
  }

  static func serial(of certificate: OpaquePointer) -> String? {
    guard let number = unsafe ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nil) else { return nil }
    defer { unsafe BN_free(number) }
    guard let text = unsafe BN_bn2hex(number) else { return nil }
    defer { unsafe CRYPTO_free(text, nil, 0) }
    return unsafe String(cString: text)
  }

  private static func lastMail(in certificate: OpaquePointer, _ extensionID: Int32) -> String? {
    guard let list = unsafe X509_get_ext_d2i(certificate, extensionID, nil, nil) else { return nil }
    let stack = OpaquePointer(list)
    defer { unsafe GENERAL_NAMES_free(stack) }
    var found: String?
    for index in 0..<max(unsafe OPENSSL_sk_num(stack), 0) {
      guard let item = unsafe OPENSSL_sk_value(stack, index) else { continue }
      var type: Int32 = 0
      let value = unsafe GENERAL_NAME_get0_value(item.assumingMemoryBound(to: GENERAL_NAME.self), &type)
      guard type == GEN_EMAIL, let value = unsafe value else { continue }
      if let text = unsafe utf8(value.assumingMemoryBound(to: ASN1_STRING.self)) { found = printable(text) }
    }
    return found
  }

  private static func utf8(_ string: UnsafePointer<ASN1_STRING>?) -> [UInt8]? {
    var out: UnsafeMutablePointer<UInt8>? = nil
    let count = unsafe ASN1_STRING_to_UTF8(&out, string)
    guard count >= 0, let start = unsafe out else { return nil }
    defer { unsafe CRYPTO_free(start, nil, 0) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  /// Control characters, and a dash in front, become `_`.
  private static func printable(_ bytes: [UInt8]) -> String {
    var clean = bytes.map { $0 < 32 || $0 == 127 ? UInt8(ascii: "_") : $0 }
    if clean.first == UInt8(ascii: "-") { clean[0] = UInt8(ascii: "_") }
    return String(decoding: clean, as: UTF8.self)
  }
}
