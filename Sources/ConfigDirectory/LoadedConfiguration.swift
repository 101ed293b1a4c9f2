package import Base
package import Profile
package import Settings

/// Everything the configuration says, with every file it names read in.
package struct LoadedConfiguration: Sendable {
  package var settings = Settings()
  /// In the order of `settings.tunnels`.
  package var tunnels: [Tunnel] = []
  /// Their LAN stays closed, unless they say `kill_switch 'off'`.
  package var brokenGateways: Set<TunnelName> = []
  /// True when a whole file could not be read, so that a gateway may be missing.
  package var isIncomplete = false
  package var diagnostics: [Diagnostic] = []

  package init() {}

  package struct Tunnel: Sendable {
    package var settings: TunnelSettings
    /// `nil` when section or profile has an error: the tunnel's status is `invalid`.
    package var profile: Profile?
    /// Profile and keys together, files read in.
    package var lines: [OptionLine]
    /// What the engine gets; `nil` like the profile.
    package var canonicalText: SecretBytes?
    /// Where an invalid tunnel went wrong first.
    package var firstError: Diagnostic?
    /// Files it names that were not there.
    package var missingFiles: [String] = []
    /// Files it names that hold a secret: one that changes may be what a refused login waits for.
    package var secretFiles: [String] = []

    package var isValid: Bool { profile != nil }
  }
}
