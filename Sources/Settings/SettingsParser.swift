package import Base

/// One file's text, and how to read it.
package struct SettingsFile: Sendable {
  /// OpenWrt packages whose OpenVPN sections are read as tunnels.
  package enum Package: String, Hashable, Sendable, CaseIterable { case openvpn, network }

  /// As diagnostics name it.
  package var name: String
  package var text: [UInt8]
  /// `nil` for Adit's own files.
  package var package: Package?

  package init(name: String, text: [UInt8], package: Package? = nil) {
    self.name = name
    self.text = text
    self.package = package
  }
}

package struct ParsedSettings: Sendable {
  package var settings = Settings()
  /// By file and line.
  package var diagnostics: [Diagnostic] = []
  /// Tunnels with an error in their section: never to be started.
  package var brokenTunnels: Set<TunnelName> = []
  /// Gateways with an error in their section: their LAN stays closed, unless they say `kill_switch 'off'` in so many words.
  package var brokenGateways: Set<TunnelName> = []
  /// True when a file could not be read as UCI at all, so that a gateway may be missing.
  package var isIncomplete = false
}

/// UCI text to `Settings`.
///
/// A bad section never stops the good ones, and never opens a kill switch.
package enum SettingsParser {
  package static func parse(files: [SettingsFile]) -> ParsedSettings {
    var assembly = Assembly()
    let documents = files.map { ($0, UCIDocument(text: $0.text, file: $0.name)) }
    for (file, document) in documents {
      assembly.diagnostics += document.diagnostics
      if !document.isUCI, file.package == nil { assembly.result.isIncomplete = true }
    }
    let own = documents.filter { $0.0.package == nil }.flatMap(\.1.sections)
    assembly.readGlobals(own.filter { $0.type == Schema.globals.type })
    for section in own { assembly.readOwn(section) }
    for (file, document) in documents {
      guard let package = file.package else { continue }
      for section in document.sections { assembly.takeOver(section, of: package) }
    }
    assembly.resolve()
    assembly.result.diagnostics = sorted(assembly.diagnostics, files: files.map(\.name))
    return assembly.result
  }

  /// Which OpenWrt packages the files ask for, to be read beside them.
  package static func packagesToTakeOver(_ files: [SettingsFile]) -> [SettingsFile.Package] {
    parse(files: files).settings.globals.takeOver.compactMap(SettingsFile.Package.init(rawValue:))
  }

  private static func sorted(_ diagnostics: [Diagnostic], files: [String]) -> [Diagnostic] {
    let order = Dictionary(files.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return diagnostics.enumerated().sorted { left, right in
      let (a, b) = (left.element.location, right.element.location)
      let (fileA, fileB) = (order[a.file] ?? files.count, order[b.file] ?? files.count)
      return (fileA, a.line, a.column, left.offset) < (fileB, b.line, b.column, right.offset)
    }.map(\.element)
  }
}
