import Base
import DataChannel
import Glibc
import Profile

/// Talks to a real server and writes down every packet and every key. Run by scripts/record.
///
/// `Recorder PROFILE CAPTURE OUTPUT PEER [WORD]…` where CAPTURE is a file that tcpdump writes on the server's tun device,
/// the witness of what really went through the tunnel. The words: `brief` leaves the control channel out, `v1` and `prf`
/// make an old client, `renegotiate` does that once, `server-key=FILE` puts that key into the recording. With `listen`
/// another client talks, and CAPTURE is of the wire.
@main
enum Recorder {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 5, let text = fileBytes(arguments[1]) else {
      print("usage: Recorder PROFILE CAPTURE OUTPUT PEER [WORD]…")
      exit(64)
    }
    let words = arguments.dropFirst(5)
    let (profile, diagnostics) = Profile.parse(Lexer.lines(of: text, file: arguments[1]).lines)
    guard let profile, let remote = profile.remotes.first else {
      throw RecordedClient.Failure(reason: "\(diagnostics)")
    }
    var notebook = Notebook(of: arguments[4])
    for word in words where word.hasPrefix("server-key=") {
      notebook.write("server-key", file: fileBytes(String(word.dropFirst(11))) ?? [])
    }
    let capture = arguments[2]
    if words.contains("listen") {
      notebook.write(setupOf: profile, remote)
      listen(capture, port: remote.port, into: &notebook)
    } else {
      notebook = try talk(profile, words, capture, notebook)
    }
    notebook.save(to: arguments[3])
  }

  /// A conversation of our own. `capture` is what went through the server's tun device.
  private static func talk(
    _ profile: Profile, _ words: ArraySlice<String>, _ capture: String, _ notebook: Notebook
  ) throws -> Notebook {
    var claims = RecordedClient.Claims()
    claims.dataV2 = !words.contains("v1")
    claims.exportsKeys = !words.contains("prf")
    let client = try RecordedClient(
      profile, claims: claims, wallTime: WallTime(seconds: Int64(time(nil))), notebook: notebook,
      recordsControl: !words.contains("brief"))
    try client.connect()
    try client.sendEchoes()
    var exchanges = Echo.payloads.count
    if words.contains("renegotiate") {
      try client.renegotiate()
      try client.sendEchoes()
      exchanges *= 2
    }
    // The server's pings come every second when nothing else does.
    try client.run(for: .milliseconds(2500))
    try client.send(message: DataMessage.ping)
    try client.run(for: .milliseconds(100))
    try client.send(message: DataMessage.exit)
    let inner = Capture(path: capture).packets
    guard inner.count == exchanges * 2 else {
      throw RecordedClient.Failure(reason: "\(inner.count) packets seen in the tunnel, wanted \(exchanges * 2)")
    }
    for packet in inner {
      let isFromServer = Array(packet[12..<16]) == Echo.server.bytes
      client.notebook.write("inner", isFromServer ? .server : .client, packet)
    }
    return client.notebook
  }

  /// The first control packets of others: `capture` is what went over the wire.
  private static func listen(_ capture: String, port: UInt16, into notebook: inout Notebook) {
    let datagrams = Capture(path: capture).datagrams(port: port).prefix(6)
    let sessions = [true, false].map { side in
      Hex.text(datagrams.first { $0.isToPort == side }?.bytes.dropFirst().prefix(8) ?? [])
    }
    notebook.write("sessions", sessions[0], sessions[1])
    for (isToPort, bytes) in datagrams { notebook.write("control", isToPort ? .client : .server, bytes, after: .zero) }
  }
}
