package import Base
import Glibc
import IO
import Profile
import Settings

/// The read-only place where the configuration lives: a directory, or one file.
package enum ConfigurationDirectory {
  package static let standardDirectory = "/etc/adit"
  /// OpenWrt's own place for UCI files; profiles and secrets stay in `standardDirectory`.
  package static let openWrtFile = "/etc/config/adit"
  /// Where OpenWrt's packages are read from with `take_over`.
  package static let openWrtDirectory = "/etc/config"

  /// Files of one directory; more is no configuration.
  static let fileLimit = 256

  /// - Parameters:
  ///   - path: a directory or a file; `nil` = the standard place of this system.
  ///   - packages: where OpenWrt's files are.
  package static func load(path: String? = nil, packages: String = openWrtDirectory) -> LoadedConfiguration {
    let path = path ?? standardPath
    var loading = Loading(path: path, packages: packages)
    return loading.run()
  }

  /// The directory when it is there, else OpenWrt's file when that is.
  package static var standardPath: String {
    if (try? TextFile.names(in: standardDirectory)) == nil, TextFile.status(openWrtFile) != nil { return openWrtFile }
    return standardDirectory
  }

  /// When its files were written last: the clock cannot be earlier than that.
  package static func dates(path: String? = nil) -> [WallTime] {
    let path = path ?? standardPath
    let names = (try? TextFile.names(in: path)) ?? []
    let files = names.isEmpty ? [path] : names.prefix(fileLimit).map { FileStore.resolve($0, base: path) }
    return files.compactMap { TextFile.status($0) }.filter(\.isRegular).map(\.modified)
  }

  /// One profile as a configuration of its own, for `adit connect` and `adit check PROFILE`.
  ///
  /// - Parameters:
  ///   - path: relative names, in it too, start where the profile is; `credentialsFile` starts at the working directory.
  ///   - options: OpenVPN options laid over it, each as a line of a profile.
  ///   - lan: devices to send through the tunnel; without any, the router itself is served as the server pushes.
  package static func loadProfile(
    path: String, options: [String] = [], credentialsFile: String? = nil, lan: [DeviceName] = []
  ) -> LoadedConfiguration {
    let location = SourceLocation(file: path)
    let name = tunnelName(ofProfile: path)
    var result = LoadedConfiguration()
    var tunnel = TunnelSettings(name: name, device: .standard(for: name), location: location)
    tunnel.profilePath = path
    tunnel.profileLocation = location
    for option in options {
      let read = Lexer.lines(of: Array(option.utf8), file: "--set")
      tunnel.options += read.lines
      result.diagnostics += read.diagnostics
    }
    if let credentialsFile {
      tunnel.options.removeAll { $0.name == "auth-user-pass" }
      tunnel.options.append(
        OptionLine(
          name: "auth-user-pass", arguments: [credentialsFile], location: SourceLocation(file: "--auth-user-pass")))
    }
    var loader = TunnelLoader(base: ".")
    let loaded = loader.load(tunnel, isBroken: result.diagnostics.hasErrors)
    result.settings.tunnels = [tunnel]
    result.tunnels = [loaded.tunnel]
    result.diagnostics += loaded.diagnostics + loader.store.warnings
    if !lan.isEmpty, let gatewayName = TunnelName("lan") {
      var gateway = GatewaySettings(name: gatewayName, location: location)
      gateway.tunnels = [name]
      gateway.lan = lan
      gateway.killSwitch = .session
      result.settings.gateways = [gateway]
    }
    return result
  }

  /// The file's name without its ending, in letters that a name may have.
  static func tunnelName(ofProfile path: String) -> TunnelName {
    let file = path.split(separator: "/").last ?? "profile"
    let stem = file.lastIndex(of: ".").map { $0 == file.startIndex ? file : file[..<$0] } ?? file
    let letters = stem.unicodeScalars.map { scalar -> Character in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || scalar == "-" || scalar == "_" ? Character(scalar) : "_"
    }
    guard let name = TunnelName(String(letters.prefix(31))) ?? TunnelName("profile") else {
      preconditionFailure("a constant name is valid")
    }
    return name
  }
}
