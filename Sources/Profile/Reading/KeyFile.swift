import Base

/// The outside of PEM-like files: BEGIN and END lines. What stands between is read by the rooms that use it.
enum KeyFile {
  enum Kind {
    case certificates, privateKey, revocationLists, staticKey, tlsCryptV2Client

    /// Any of these may open the part.
    var labels: [String] {
      switch self {
      case .certificates: ["CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE"]
      case .privateKey:
        ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"]
      case .revocationLists: ["X509 CRL"]
      case .staticKey: ["OpenVPN Static key V1"]
      case .tlsCryptV2Client: ["OpenVPN tls-crypt-v2 client key"]
      }
    }
  }

  /// Lines without blanks at their ends and without carriage returns, as a web page leaves them (cases L-01, L-11).
  ///
  /// - Throws: when BEGIN or END is missing (cases U-07).
  static func checked(_ body: SecretBytes, kind: Kind, option: String) throws(OptionProblem) -> SecretBytes {
    var text = body.exposed
    defer { text.wipe() }
    var result: [UInt8] = []
    defer { result.wipe() }
    result.reserveCapacity(text.count + 1)
    var open: String?
    var parts = 0
    var hasHeaders = false
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == 10 }) {
      let trimmed = line.trimmingBlanks
      guard !trimmed.isEmpty else {
        // The headers of an encrypted key (RFC 1421) end with an empty line; elsewhere it means nothing.
        if hasHeaders { result.append(10) }
        hasHeaders = false
        continue
      }
      if let label = label(of: trimmed, "-----BEGIN ") {
        if let open, kind.labels.contains(open) { throw missingEnd(open, option) }
        open = label
      } else if let label = label(of: trimmed, "-----END "), let started = open {
        guard label == started else {
          if kind.labels.contains(started) { throw missingEnd(started, option) }
          continue
        }
        if kind.labels.contains(label) { parts += 1 }
        open = nil
      }
      if open != nil, trimmed.contains(UInt8(ascii: ":")) { hasHeaders = true }
      result += trimmed
      result.append(10)
    }
    if let open, kind.labels.contains(open) { throw missingEnd(open, option) }
    guard parts > 0 else {
      throw OptionProblem("\(option): no BEGIN line (`-----BEGIN \(kind.labels[0])-----`); copy the file again")
    }
    return SecretBytes(result)
  }

  /// The password of an encrypted key is needed.
  static func isEncrypted(_ key: SecretBytes) -> Bool {
    var text = key.exposed
    defer { text.wipe() }
    return text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
  }

  private static func missingEnd(_ label: String, _ option: String) -> OptionProblem {
    OptionProblem("\(option): no END line (`-----END \(label)-----`); copy the file again, from BEGIN to END")
  }

  private static func label(of line: ArraySlice<UInt8>, _ opening: String) -> String? {
    guard line.starts(with: Array(opening.utf8)), line.count >= opening.utf8.count + 5,
      line.suffix(5).elementsEqual(Array("-----".utf8))
    else { return nil }
    return String(decoding: line.dropFirst(opening.utf8.count).dropLast(5), as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  var trimmingBlanks: ArraySlice<UInt8> {
    var slice = drop(while: Words.isBlank)
    while let last = slice.last, Words.isBlank(last) { slice.removeLast() }
    return slice
  }
}

extension [UInt8] {
  func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard count >= wanted.count, !wanted.isEmpty else { return wanted.isEmpty }
    return (0...(count - wanted.count)).contains {
      self[$0] == wanted[0] && self[$0..<($0 + wanted.count)].elementsEqual(wanted)
    }
  }
}
