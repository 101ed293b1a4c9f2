package import Base
package import ConfigDirectory
import Settings

/// Everything `adit check` has to say.
package struct CheckReport: Sendable {
  package struct Gateway: Hashable, Sendable {
    package var name: String
    package var isValid: Bool
    package var tunnels: [String]
    package var lan: [String]
    package var scope: String
    package var killSwitch: String
  }

  package private(set) var diagnostics: [Diagnostic] = []
  package private(set) var tunnels: [TunnelFacts] = []
  package private(set) var gateways: [Gateway] = []

  /// - Parameter now: certificates are judged at it.
  package init(_ configurations: [LoadedConfiguration], now: WallTime) {
    for configuration in configurations { add(configuration, now: now) }
  }

  private mutating func add(_ configuration: LoadedConfiguration, now: WallTime) {
    diagnostics += configuration.diagnostics
    var check = CertificateCheck(now: now)
    for tunnel in configuration.tunnels {
      var facts = TunnelFacts(tunnel)
      check.look(at: tunnel, facts: &facts)
      tunnels.append(facts)
    }
    diagnostics += check.diagnostics
    gateways += configuration.settings.gateways.map { gateway in
      Gateway(
        name: gateway.name.text, isValid: !configuration.brokenGateways.contains(gateway.name),
        tunnels: gateway.tunnels.map(\.text), lan: gateway.lan.map(\.text), scope: gateway.scope.rawValue,
        killSwitch: gateway.killSwitch.rawValue)
    }
  }

  package var hasErrors: Bool { diagnostics.hasErrors }

  package func count(_ severity: Diagnostic.Severity) -> Int { diagnostics.count { $0.severity == severity } }
}
