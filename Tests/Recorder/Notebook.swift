import Base
import Glibc
import Profile

/// The lines of a recording, in the order in which they were written down. `RecordingFile` of the tests reads them.
struct Notebook {
  enum Side: String { case client = ">", server = "<" }

  private var lines: [String]

  init(of peer: String) {
    lines = [
      "# Packets of a real \(peer), recorded by scripts/record.",
      "# Every key in here was made for the recording and guards nothing.",
    ]
  }

  mutating func write(_ words: String...) { lines.append(words.joined(separator: " ")) }

  mutating func write(_ name: String, _ side: Side, _ bytes: [UInt8], after time: Duration? = nil) {
    let milliseconds = time.map { "\($0.wholeNanoseconds / 1_000_000) " } ?? ""
    lines.append("\(name) \(side.rawValue) \(milliseconds)\(Base64.text(bytes))")
  }

  /// A file of text, line by line.
  mutating func write(_ name: String, file: [UInt8]) {
    for line in file.split(separator: 10) where !line.isEmpty && line.first != UInt8(ascii: "#") {
      write(name, String(decoding: line, as: UTF8.self))
    }
  }

  /// What both ends agreed on beforehand.
  mutating func write(setupOf profile: Profile, _ remote: Remote) {
    write("transport", remote.transport.rawValue)
    write("auth", profile.auth?.rawValue ?? "none")
    switch remote.wrap {
    case .none: write("wrap none")
    case .tlsAuth(let key, let direction):
      write("wrap tls-auth", direction.map { "\($0)" } ?? "-")
      write("client-key", file: key.exposed)
    case .tlsCrypt(let key):
      write("wrap tls-crypt")
      write("client-key", file: key.exposed)
    case .tlsCryptV2(let key):
      write("wrap tls-crypt-v2")
      write("client-key", file: key.exposed)
    }
  }

  func save(to path: String) {
    guard let file = fopen(path, "w") else { return }
    fputs(lines.joined(separator: "\n") + "\n", file)
    fclose(file)
  }
}
