import Base
import ConfigDirectory
import Foundation
import Profile
import Settings
import TestKit
import Testing

@Suite("The configuration directory") struct ConfigurationDirectoryTests {
  private func standard() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write("gateway", Sample.section, mode: 0o644)
    try scratch.write("home.ovpn", Sample.profile, mode: 0o644)
    try scratch.write("ca.crt", Sample.authority, mode: 0o644)
    try scratch.write("home.auth", "me\nsecret word\n")
    return scratch
  }

  private func load(_ scratch: Scratch, _ path: String? = nil) -> LoadedConfiguration {
    ConfigurationDirectory.load(path: path ?? scratch.path, packages: scratch.path + "/packages").withoutNotes
  }

  @Test("a profile is read with every file it names, and makes the same profile again from its own text")
  func whole() throws {
    let loaded = load(try standard())
    #expect(loaded.diagnostics.isEmpty)
    let tunnel = try #require(loaded.tunnels.first)
    let profile = try #require(tunnel.profile)
    #expect(profile.credentials?.user == "me" && profile.credentials?.password.exposed == Array("secret word".utf8))
    #expect(profile.tls.authorities.count == 1 && profile.remotes.map(\.host) == ["vpn.example.net"])
    let text = try #require(tunnel.canonicalText)
    let again = Lexer.lines(of: text.exposed, file: "canonical")
    #expect(again.diagnostics.isEmpty && Profile.fileReferences(in: again.lines).isEmpty)
    let parsed = try #require(Profile.parse(again.lines).profile)
    #expect(parsed.credentials == profile.credentials && parsed.tls == profile.tls)
  }

  @Test("keys are laid over the profile: they replace single values and all servers, and add to lists")
  func overlay() throws {
    let scratch = try standard()
    try scratch.write("home.ovpn", Sample.profile + "auth SHA1\nfloat\nroute 10.0.0.0 255.0.0.0\n")
    try scratch.write(
      "gateway",
      Sample.section + """
        \tlist remote 'other.example.net 443 tcp'
        \toption auth 'SHA256'
        \toption float '0'
        \tlist route '172.16.0.0 255.240.0.0'
        """)
    let loaded = load(scratch)
    #expect(scratch.words(loaded.diagnostics).isEmpty)
    let profile = try #require(loaded.tunnels.first?.profile)
    #expect(profile.remotes.map(\.host) == ["other.example.net"] && profile.auth == .sha256 && !profile.float)
    #expect(profile.tunnel.routes.count == 2)
  }

  @Test("R-09: the dates of its files are known, of a directory and of one file, and of nothing none")
  func dates() throws {
    let scratch = try standard()
    let seconds = Int64(Date().timeIntervalSince1970)
    for path in [scratch.path, scratch.path + "/gateway"] {
      let dates = ConfigurationDirectory.dates(path: path)
      #expect(dates.count == (path == scratch.path ? 4 : 1))
      #expect(dates.allSatisfy { (seconds - 600...seconds + 1).contains($0.seconds) })
    }
    #expect(ConfigurationDirectory.dates(path: scratch.path + "/none").isEmpty)
  }

  @Test("S-06: files that are not there are named, so that a flash that is mounted late is waited for")
  func missingFiles() throws {
    let scratch = try standard()
    #expect(load(scratch).tunnels.first?.missingFiles == [])
    try scratch.write("home.ovpn", Sample.profile + "tls-auth ta.key\n", mode: 0o644)
    #expect(load(scratch).tunnels.first?.missingFiles == [scratch.path + "/ta.key"])
    try scratch.write("gateway", Sample.section.replacing("home.ovpn", with: "late/home.ovpn"), mode: 0o644)
    #expect(load(scratch).tunnels.first?.missingFiles.first == scratch.path + "/late/home.ovpn")
  }

  @Test("a tunnel of keys alone needs no profile")
  func keysOnly() throws {
    let scratch = try standard()
    try scratch.write(
      "gateway",
      """
      config tunnel 'home'
        list remote 'vpn.example.net 1194 udp'
        option ca 'ca.crt'
        option remote_cert_tls 'server'
        option auth_user_pass 'home.auth'
      """)
    let loaded = load(scratch)
    #expect(scratch.words(loaded.diagnostics).isEmpty && loaded.tunnels.first?.isValid == true)
  }

  @Test("a missing file is an error where the key stands")
  func missing() throws {
    let scratch = try standard()
    try FileManager.default.removeItem(atPath: scratch.path + "/ca.crt")
    try scratch.write("gateway", Sample.section + "config tunnel 'work'\n\toption profile 'work.ovpn'\n")
    let loaded = load(scratch)
    #expect(
      scratch.words(loaded.diagnostics) == [
        "home.ovpn:5:4: error: the file `ca.crt` cannot be read: No such file or directory",
        "gateway:4:17: error: the profile work.ovpn cannot be read: No such file or directory",
      ])
    #expect(loaded.tunnels.map(\.isValid) == [false, false])
    #expect(loaded.tunnels[0].firstError?.location.line == 5)
  }

  @Test("an unreadable profile is the only complaint, whatever keys stand beside it")
  func missingWithKeys() throws {
    let scratch = try Scratch()
    try scratch.write("home.auth", "me\nsecret word\n")
    try scratch.write(
      "gateway", "config tunnel 'home'\n\toption profile 'hme.ovpn'\n\toption auth_user_pass 'home.auth'\n",
      mode: 0o644)
    #expect(
      scratch.words(load(scratch).diagnostics) == [
        "gateway:2:17: error: the profile hme.ovpn cannot be read: No such file or directory"
      ])
  }

  @Test("L-18: blanks in file names")
  func blanks() throws {
    let scratch = try standard()
    try scratch.write(
      "CA Toronto.ovpn", Sample.profile.replacingOccurrences(of: "ca ca.crt", with: #"ca "my keys/ca.crt""#))
    try scratch.write("my keys/ca.crt", Sample.authority)
    try scratch.write("gateway", "config tunnel 'toronto'\n\toption profile 'CA Toronto.ovpn'\n")
    #expect(scratch.words(load(scratch).diagnostics).isEmpty)
  }

  @Test("S-07: a secret that others can read is warned about once, and read")
  func openSecret() throws {
    let scratch = try standard()
    try scratch.write("home.auth", "me\nsecret\n", mode: 0o644)
    try scratch.write(
      "gateway", Sample.section + "config tunnel 'again'\n\toption profile 'home.ovpn'\n\toption device 'tun9'\n")
    let loaded = load(scratch)
    #expect(
      scratch.words(loaded.diagnostics) == [
        "home.ovpn:6:16: warning: others can read the secret in home.auth (mode 644): chmod 600 home.auth"
      ])
    #expect(loaded.tunnels.map(\.isValid) == [true, true])
  }

  @Test("a password in the section makes its own file a secret")
  func openSection() throws {
    let scratch = try standard()
    try scratch.write("gateway", Sample.section + "\toption username 'u'\n\toption password 'p4ss'\n", mode: 0o644)
    let loaded = load(scratch)
    #expect(
      scratch.words(loaded.diagnostics) == [
        "gateway:1:1: warning: others can read the password in gateway: chmod 600 gateway"
      ])
    #expect(loaded.tunnels.first?.profile?.credentials?.user == "u")
  }

  @Test("a file that a key names is never read as UCI, nor is one with a dot")
  func notUCI() throws {
    let scratch = try standard()
    try scratch.write("secret", "me\npassword\n")
    try scratch.write("nets", "192.0.2.0/24\n")
    try scratch.write("notes.txt", "config nonsense\n")
    try scratch.write(
      "gateway",
      Sample.section
        + "\toption auth_user_pass 'secret'\nconfig policy 'p'\n\tlist dest 'file:nets'\n\toption via 'wan'\n")
    let loaded = load(scratch)
    #expect(loaded.diagnostics.filter { $0.severity == .error }.isEmpty && !loaded.isIncomplete)
    #expect(loaded.tunnels.first?.isValid == true)
  }

  @Test("a stray file is one error that quotes nothing, and the rest is in force")
  func stray() throws {
    let scratch = try standard()
    try scratch.write("stray", "me\nTopSecret\n")
    let loaded = load(scratch)
    #expect(loaded.diagnostics.count == 1 && loaded.isIncomplete)
    #expect(loaded.diagnostics.allSatisfy { !$0.description.contains("TopSecret") && $0.location.line == 1 })
    #expect(loaded.tunnels.first?.isValid == true)
  }

  @Test("fifos, directories and devices are refused without waiting")
  func special() throws {
    let scratch = try standard()
    mkfifo(scratch.path + "/pipe", 0o600)
    try scratch.write("sub/file", "x")
    try scratch.write("gateway", Sample.section + "config tunnel 'b'\n\toption profile '/dev/zero'\n")
    #expect(
      scratch.words(load(scratch).diagnostics) == [
        "pipe: error: cannot be read: not a regular file",
        "gateway:4:17: error: the profile /dev/zero cannot be read: not a regular file",
      ])
  }

  @Test("one file is a configuration too")
  func oneFile() throws {
    let scratch = try standard()
    let text = Sample.section.replacingOccurrences(of: "home.ovpn", with: scratch.path + "/home.ovpn")
    let loaded = load(scratch, try scratch.write("single.conf", text))
    #expect(scratch.words(loaded.diagnostics).isEmpty && loaded.tunnels.first?.isValid == true)
  }

  @Test("nothing there is an error, an empty directory a warning")
  func nothing() throws {
    let scratch = try Scratch()
    #expect(load(scratch, scratch.path + "/none").diagnostics.map(\.severity) == [.error])
    #expect(load(scratch).diagnostics.map(\.severity) == [.warning])
  }

  @Test("take_over reads OpenWrt's own file (U-06)")
  func takeOver() throws {
    let scratch = try standard()
    try scratch.write("gateway", "config globals\n\tlist take_over 'openvpn'\n")
    try scratch.write(
      "packages/openvpn",
      """
      config openvpn 'work'
        option enabled '1'
        option config '\(scratch.path)/home.ovpn'
      """)
    let loaded = load(scratch)
    #expect(scratch.words(loaded.diagnostics).isEmpty)
    #expect(loaded.tunnels.map(\.settings.name.text) == ["work"] && loaded.tunnels.first?.isValid == true)
  }

  @Test("a broken section keeps its tunnel from starting, however good the profile is")
  func brokenSection() throws {
    let scratch = try standard()
    try scratch.write("gateway", Sample.section + "\toption enabld '1'\n")
    let loaded = load(scratch)
    let tunnel = try #require(loaded.tunnels.first)
    #expect(!tunnel.isValid && tunnel.canonicalText == nil && tunnel.firstError?.location.line == 3)
    #expect(loaded.diagnostics.count == 1)
  }

  @Test("O-24: a login that nobody can give is an error, never an empty login")
  func noCredentials() throws {
    let scratch = try standard()
    try scratch.write(
      "home.ovpn", Sample.profile.replacingOccurrences(of: "auth-user-pass home.auth", with: "auth-user-pass"))
    let loaded = load(scratch)
    #expect(loaded.tunnels.first?.isValid == false)
    #expect(scratch.words(loaded.diagnostics).first?.hasPrefix("home.ovpn:6:1: error: user name and password") == true)
  }

  @Test("a config include is read, and files that include each other end")
  func includes() throws {
    let scratch = try standard()
    try scratch.write("home.ovpn", "config common.conf\n" + Sample.profile)
    try scratch.write("common.conf", "verb 3\n")
    #expect(load(scratch).tunnels.first?.isValid == true)
    try scratch.write("common.conf", "config common.conf\n")
    #expect(load(scratch).tunnels.first?.isValid == false)
  }
}

@Suite("One profile") struct LoadProfileTests {
  @Test("a profile is a configuration of its own, with a gateway for its LAN")
  func connect() throws {
    let scratch = try Scratch()
    let path = try scratch.write("My VPN (de).ovpn", Sample.profile.replacingOccurrences(of: " home.auth", with: ""))
    try scratch.write("ca.crt", Sample.authority)
    let credentials = try scratch.write("login", "u\np\n")
    let loaded = ConfigurationDirectory.loadProfile(
      path: path, options: ["auth SHA512", "--verb 4"], credentialsFile: credentials,
      lan: [try #require(DeviceName("br-lan"))])
    #expect(scratch.words(loaded.withoutNotes.diagnostics).isEmpty)
    let tunnel = try #require(loaded.tunnels.first)
    #expect(tunnel.settings.name.text == "My_VPN__de_" && tunnel.profile?.auth == .sha512)
    #expect(tunnel.profile?.credentials?.user == "u")
    let gateway = try #require(loaded.settings.gateways.first)
    #expect(
      gateway.lan.map(\.text) == ["br-lan"] && gateway.killSwitch == .session
        && gateway.tunnels == [tunnel.settings.name])
  }

  @Test("without a LAN there is no gateway; a bad --set is an error with its own place")
  func bare() throws {
    let scratch = try Scratch()
    let path = try scratch.write("x.ovpn", Sample.profile)
    let loaded = ConfigurationDirectory.loadProfile(path: path, options: ["auth \"SHA1"])
    #expect(loaded.settings.gateways.isEmpty && loaded.tunnels.first?.isValid == false)
    #expect(loaded.diagnostics.first?.location.file == "--set")
  }

  @Test("a directory in place of a profile is a configuration, and the error says so")
  func directory() throws {
    let scratch = try Scratch()
    let error = ConfigurationDirectory.loadProfile(path: scratch.path).diagnostics.first?.text
    #expect(error?.hasSuffix("not a regular file; a directory is a configuration, for `--config`") == true)
  }
}

extension LoadedConfiguration {
  /// Notes on options are the profile room's matter.
  var withoutNotes: LoadedConfiguration {
    var copy = self
    copy.diagnostics.removeAll { $0.severity == .note }
    return copy
  }
}
