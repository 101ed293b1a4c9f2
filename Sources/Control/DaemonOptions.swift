/// How the daemon was asked to run: `adit run`, or `adit connect` with one profile.
package struct DaemonOptions: Hashable, Sendable {
  /// `nil` = the standard place.
  package var configPath: String?
  package var stateDirectory: String
  package var usesSyslog: Bool
  /// Set for `adit connect`: no configuration directory is read.
  package var connect: ConnectRequest?

  package static let standardStateDirectory = "/run/adit"
  /// In the state directory.
  package static let controlSocketName = "control.sock"

  package init(
    configPath: String? = nil, stateDirectory: String = standardStateDirectory, usesSyslog: Bool = false,
    connect: ConnectRequest? = nil
  ) {
    self.configPath = configPath
    self.stateDirectory = stateDirectory
    self.usesSyslog = usesSyslog
    self.connect = connect
  }

  package var controlSocketPath: String { stateDirectory + "/" + Self.controlSocketName }
}

/// One profile, in the foreground, without a configuration directory.
package struct ConnectRequest: Hashable, Sendable {
  package var profilePath: String
  package var credentialsPath: String?
  /// LAN devices to send through the tunnel.
  package var lan: [String]
  /// OpenVPN options laid over the profile, each as a line of a profile.
  package var options: [String]

  package init(profilePath: String, credentialsPath: String? = nil, lan: [String] = [], options: [String] = []) {
    self.profilePath = profilePath
    self.credentialsPath = credentialsPath
    self.lan = lan
    self.options = options
  }
}
