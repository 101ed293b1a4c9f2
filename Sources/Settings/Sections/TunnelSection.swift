import Base
import Profile

enum TunnelSection {
  static func read(_ reader: inout SectionReader, name: TunnelName) -> TunnelSettings {
    var tunnel = TunnelSettings(name: name, device: device(&reader, name: name), location: reader.section.location)
    if let value = reader.flag("enabled") { tunnel.isEnabled = value }
    tunnel.profilePath = reader.text("profile")
    tunnel.profileLocation = reader.word("profile")?.location
    tunnel.ignoresUnknownOptions = reader.choice("unknown_options", as: UnknownOptions.self) == .ignore
    if let policy = reader.choice("clock_policy", as: TunnelSettings.ClockPolicy.self) { tunnel.clockPolicy = policy }
    if let mode = reader.choice("offload", as: OffloadMode.self) { tunnel.offload = mode }
    tunnel.mtu = reader.number("mtu")
    if let span = reader.value("return_after", DurationText.parse) { tunnel.returnAfter = span }
    readOptions(&reader, into: &tunnel)
    readSecrets(&reader, into: &tunnel)
    if tunnel.profilePath == nil, !tunnel.options.contains(where: { $0.name == "remote" }) {
      reader.fail(
        reader.section.nameLocation,
        "tunnel '\(name)' has neither `option profile` nor a `remote`: nowhere to connect to")
    }
    return tunnel
  }

  private enum UnknownOptions: String { case fail, ignore }

  /// Scripts of OpenVPN that OpenWrt's sections may name.
  static let hooks: Set = [
    "up", "down", "down_pre", "up_restart", "route_up", "route_pre_down", "ipchange", "tls_verify", "script_security",
  ]

  /// Every key that the schema does not hold itself, as an OpenVPN option.
  static func readOptions(_ reader: inout SectionReader, into tunnel: inout TunnelSettings) {
    for option in reader.section.options {
      if let key = reader.schema.key(named: option.key) {
        reader.check(option, against: key)
      } else if hooks.contains(option.key) {
        reader.note(option.location, "`\(option.key)`: hooks are not yet acted on")
      } else if let name = OpenVPNKey.optionName(of: option.key) {
        add(option, as: name, &reader, into: &tunnel)
      } else if tunnel.ignoresUnknownOptions {
        reader.warn(option.location, "unknown key `\(option.key)` is ignored, as `unknown_options` says")
      } else {
        reader.failUnknown(option, among: reader.schema.keys.map(\.name) + OpenVPNKey.keys)
      }
    }
  }

  static func add(
    _ option: UCIOption, as name: String, _ reader: inout SectionReader, into tunnel: inout TunnelSettings
  ) {
    let reading = OpenVPNKey.read(option, as: name)
    tunnel.options += reading.lines
    if let withdrawn = reading.withdrawn { tunnel.withdrawnOptions.append(withdrawn) }
    for diagnostic in reading.diagnostics { reader.fail(diagnostic.location, diagnostic.text) }
  }

  /// `username` and `password` become what a file of `auth_user_pass` would say; they are never printed.
  static func readSecrets(_ reader: inout SectionReader, into tunnel: inout TunnelSettings) {
    let (user, password) = (reader.word("username"), reader.word("password"))
    if let user, let password {
      guard !(user.text + password.text).utf8.contains(10) else {
        reader.fail(user.location, "user name and password must not contain line ends")
        return
      }
      tunnel.options.removeAll { $0.name == "auth-user-pass" }
      let body = SecretBytes(Array("\(user.text)\n\(password.text)\n".utf8))
      tunnel.options.append(OptionLine(name: "auth-user-pass", body: body, location: user.location))
      tunnel.holdsSecret = true
    } else if let lone = user ?? password {
      let (has, lacks) = user == nil ? ("password", "username") : ("username", "password")
      reader.fail(lone.location, "`\(has)` without `\(lacks)`")
    }
    if let word = reader.word("cert_password") {
      tunnel.options.removeAll { $0.name == "askpass" }
      let body = SecretBytes(Array("\(word.text)\n".utf8))
      tunnel.options.append(OptionLine(name: "askpass", body: body, location: word.location))
      tunnel.holdsSecret = true
    }
  }

  // MARK: Device

  private static func device(_ reader: inout SectionReader, name: TunnelName) -> DeviceName {
    if let device = reader.value("device", { DeviceName($0) }) { return device }
    if let device = namedDevice(reader.section) { return device }
    return .standard(for: name)
  }

  /// `option dev 'tun0'`; a bare `tun` names no device.
  static func namedDevice(_ section: UCISection) -> DeviceName? {
    guard let dev = section["dev"]?.values.last?.text, dev != "tun", dev != "tap" else { return nil }
    return DeviceName(dev)
  }
}
