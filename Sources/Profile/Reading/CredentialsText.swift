import Base

/// The lines of a credentials file or `<auth-user-pass>` block: user name, password, perhaps a one-time password.
///
/// Only line ends are taken off: trailing blanks belong to the password, and nothing is expanded (cases O-25).
enum CredentialsText {
  static func parse(
    _ body: SecretBytes, source: String
  ) throws(OptionProblem) -> (credentials: Credentials, remark: String?) {
    var text = body.exposed
    defer { text.wipe() }
    let lines = lines(of: text[(text.starts(with: WholeText.byteOrderMark) ? 3 : 0)...])
    guard let first = lines.first, !first.isEmpty else {
      throw OptionProblem("\(source) has no user name in its first line")
    }
    guard lines.count > 1, !lines[1].isEmpty else {
      throw OptionProblem("\(source) has no password in its second line")
    }
    guard lines.prefix(3).allSatisfy({ $0.count <= ProfileLimits.credentialBytes }) else {
      throw OptionProblem("\(source) has a line of more than \(ProfileLimits.credentialBytes) bytes")
    }
    guard !text.contains(0), let user = String(validating: first, as: UTF8.self) else {
      throw OptionProblem("\(source) is not UTF-8 text")
    }
    let third = lines.count > 2 && !lines[2].isEmpty ? SecretBytes(lines[2]) : nil
    let credentials = Credentials(user: user, password: SecretBytes(lines[1]), oneTimePassword: third)
    let remark =
      lines[1].last.map(Words.isBlank) == true ? "\(source): the password ends with a blank, which counts" : nil
    return (credentials, remark)
  }

  /// LF, CRLF and a bare CR end a line.
  private static func lines(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = text
    while !rest.isEmpty, lines.count < 4 {
      let line = rest.prefix { $0 != 10 && $0 != 13 }
      lines.append(line)
      rest = rest[line.endIndex...]
      if rest.starts(with: [13, 10]) { rest = rest.dropFirst(2) } else { rest = rest.dropFirst() }
    }
    return lines
  }
}
