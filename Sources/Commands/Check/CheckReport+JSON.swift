import Base
package import Control
import TLS

extension CheckReport {
  package var json: JSONValue {
    .object([
      .init("diagnostics", .array(diagnostics.map(\.json))), .init("tunnels", .array(tunnels.map(\.json))),
      .init("gateways", .array(gateways.map(\.json))),
    ])
  }
}

extension Diagnostic {
  fileprivate var json: JSONValue {
    .object([
      .init("file", .string(location.file)), .init("line", .integer(location.line == 0 ? nil : location.line)),
      .init("column", .integer(location.line == 0 ? nil : max(location.column, 1))),
      .init("severity", .string(severity.rawValue)), .init("text", .string(text)),
    ])
  }
}

extension TunnelFacts {
  fileprivate var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("valid", .bool(isValid)), .init("enabled", .bool(isEnabled)),
      .init("profile", .text(profilePath)), .init("device", .string(device)),
      .init("remotes", .array(servers.map(\.json))), .init("autologin", .bool(logsInAlone)),
      .init("login", .texts(login)), .init("key_password", .bool(hasKeyPassword)),
      .init("server_checks", .texts(serverChecks)), .init("control", .text(control)), .init("ciphers", .texts(ciphers)),
      .init("tls_version_min", .text(minimumTLS)), .init("certificate", certificate?.json ?? .null),
      .init("authorities", .array(authorities.map(\.json))),
    ])
  }
}

extension TunnelFacts.Server {
  fileprivate var json: JSONValue {
    .object([.init("host", .string(host)), .init("port", .integer(port)), .init("proto", .string(proto))])
  }
}

extension CertificateFacts {
  fileprivate var json: JSONValue {
    .object([
      .init("subject", .string(subject)), .init("issuer", .string(issuer)), .init("serial", .string(serial)),
      .init("not_before", .text(notBefore?.rfc3339)), .init("not_after", .text(notAfter?.rfc3339)),
      .init("key_type", .string(keyType)), .init("key_bits", .integer(keyBits)),
    ])
  }
}

extension CheckReport.Gateway {
  fileprivate var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("valid", .bool(isValid)), .init("tunnels", .texts(tunnels)),
      .init("lan", .texts(lan)), .init("scope", .string(scope)), .init("kill_switch", .string(killSwitch)),
    ])
  }
}
