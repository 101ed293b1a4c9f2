import Base
import Glibc
import IO
import Profile
import Settings

/// One run over a configuration directory or file.
struct Loading {
  private let path: String
  private let packages: String
  private var base = ""
  private var isDirectory = true
  private var problems: [Diagnostic] = []
  private var isIncomplete = false

  init(path: String, packages: String) {
    self.path = path
    self.packages = packages
  }

  /// Two passes: only when all keys are known is it known which of the files are no UCI at all, because a key names them.
  mutating func run() -> LoadedConfiguration {
    var candidates = readCandidates()
    var files = candidates.map(\.file) + takenOver(candidates.map(\.file))
    var parsed = SettingsParser.parse(files: files)
    var loaded = loadTunnels(parsed)
    let named = loaded.wanted.union(PolicyLists.files(of: parsed.settings, base: base))
    if candidates.contains(where: { named.contains($0.path) }) {
      candidates.removeAll { named.contains($0.path) }
      files = candidates.map(\.file) + takenOver(candidates.map(\.file))
      parsed = SettingsParser.parse(files: files)
      loaded = loadTunnels(parsed)
    }
    var result = LoadedConfiguration()
    result.settings = parsed.settings
    var lists = PolicyLists(base: base)
    lists.expand(&result.settings.policies)
    lists.expand(&result.settings.gateways)
    result.tunnels = loaded.tunnels
    result.brokenGateways = parsed.brokenGateways
    result.isIncomplete = isIncomplete || parsed.isIncomplete
    result.settings.isWhole = !result.isIncomplete
    result.diagnostics = problems + parsed.diagnostics + loaded.diagnostics
    result.diagnostics += openSecrets(candidates, in: parsed.settings) + lists.diagnostics
    // Two tunnels of one profile have its problems once.
    var seen: Set<Diagnostic> = []
    result.diagnostics.removeAll { !seen.insert($0).inserted }
    if result.settings.tunnels.isEmpty, !result.diagnostics.hasErrors {
      result.diagnostics.append(
        Diagnostic(.warning, SourceLocation(file: path), "no `tunnel` section: there is nothing to connect to"))
    }
    return result
  }

  // MARK: UCI files

  private struct Candidate {
    var path: String
    var file: SettingsFile
    var status: TextFile.Status
  }

  private mutating func readCandidates() -> [Candidate] {
    let names: [String]
    do {
      names = try TextFile.names(in: path)
    } catch {
      guard error.number == ENOTDIR else {
        fail(path, error.reason)
        return []
      }
      isDirectory = false
      base = ConfigurationDirectory.standardDirectory
      return read(path, name: path).map { [$0] } ?? []
    }
    base = path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
    let plain = names.filter { !$0.contains(".") }
    if plain.count > ConfigurationDirectory.fileLimit {
      fail(
        path, "more than \(ConfigurationDirectory.fileLimit) files without a dot in their name: the rest is not read")
    }
    return plain.prefix(ConfigurationDirectory.fileLimit).compactMap { name in
      let full = FileStore.resolve(name, base: base)
      return TextFile.status(full)?.isDirectory == true ? nil : read(full, name: full)
    }
  }

  private mutating func read(_ path: String, name: String) -> Candidate? {
    do {
      let (text, status) = try TextFile.read(path, limit: UCILimits.fileSize)
      return Candidate(path: path, file: SettingsFile(name: name, text: text), status: status)
    } catch {
      fail(name, error.description)
      return nil
    }
  }

  private mutating func fail(_ file: String, _ text: String) {
    isIncomplete = true
    problems.append(Diagnostic(.error, SourceLocation(file: file), "cannot be read: \(text)"))
  }

  /// OpenWrt's own files, as far as `take_over` asks for them.
  private mutating func takenOver(_ files: [SettingsFile]) -> [SettingsFile] {
    problems.removeAll { $0.location.file.hasPrefix(packages + "/") && $0.location.file != path }
    return SettingsParser.packagesToTakeOver(files).compactMap { package in
      let full = FileStore.resolve(package.rawValue, base: packages)
      if let process = RunningOpenVPN.find() {
        problems.append(
          Diagnostic(
            .error, SourceLocation(file: full),
            "not taken over while OpenVPN itself runs (process \(process)): stop and disable it first"))
        return nil
      }
      guard var file = read(full, name: full)?.file else { return nil }
      file.package = package
      return file
    }
  }

  // MARK: What keys name

  private func loadTunnels(
    _ parsed: ParsedSettings
  ) -> (tunnels: [LoadedConfiguration.Tunnel], diagnostics: [Diagnostic], wanted: Set<String>) {
    var loader = TunnelLoader(base: base)
    var tunnels: [LoadedConfiguration.Tunnel] = []
    var diagnostics: [Diagnostic] = []
    for settings in parsed.settings.tunnels {
      let isBroken = parsed.brokenTunnels.contains(settings.name)
      var loaded = loader.load(settings, isBroken: isBroken)
      if isBroken { loaded.tunnel.firstError = firstError(of: settings, in: parsed) ?? loaded.tunnel.firstError }
      tunnels.append(loaded.tunnel)
      diagnostics += loaded.diagnostics
    }
    return (tunnels, diagnostics + loader.store.warnings, loader.store.wanted)
  }

  /// The first error between the section's first line and the next section's.
  private func firstError(of tunnel: TunnelSettings, in parsed: ParsedSettings) -> Diagnostic? {
    let settings = parsed.settings
    var starts = settings.tunnels.map(\.location) + settings.gateways.map(\.location)
    starts += settings.policies.map(\.location) + settings.health.map(\.location) + settings.onDemand.map(\.location)
    let (file, first) = (tunnel.location.file, tunnel.location.line)
    let end = starts.filter { $0.file == file && $0.line > first }.map(\.line).min() ?? .max
    return parsed.diagnostics.first {
      $0.severity == .error && $0.location.file == file && (first..<end).contains($0.location.line)
    }
  }

  /// A password written into a section makes its file a secret.
  private func openSecrets(_ candidates: [Candidate], in settings: Settings) -> [Diagnostic] {
    candidates.compactMap { candidate in
      guard candidate.status.isOpenToOthers,
        let tunnel = settings.tunnels.first(where: { $0.holdsSecret && $0.location.file == candidate.file.name })
      else { return nil }
      return Diagnostic(
        .warning, tunnel.location, "others can read the password in \(candidate.path): chmod 600 \(candidate.path)")
    }
  }
}
