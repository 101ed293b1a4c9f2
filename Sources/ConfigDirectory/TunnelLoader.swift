import Base
import IO
import Profile
import Settings

/// Makes one tunnel's profile: reads the file, lays the section's keys over it, reads in what both name.
struct TunnelLoader {
  /// Where relative names of the settings start.
  let base: String
  var store = FileStore()

  mutating func load(
    _ settings: TunnelSettings, isBroken: Bool
  ) -> (tunnel: LoadedConfiguration.Tunnel, diagnostics: [Diagnostic]) {
    store.missing = []
    store.secrets = []
    var diagnostics: [Diagnostic] = []
    var lines: [OptionLine] = []
    var isUnreadable = false
    if let path = settings.profilePath {
      let read = readProfile(path, named: settings.profileLocation ?? settings.location)
      lines = read.lines
      diagnostics += read.diagnostics
      isUnreadable = read.lines.isEmpty && read.diagnostics.hasErrors
    }
    var overlay = settings.options
    if settings.profilePath == nil, !overlay.contains(where: { ["client", "pull", "tls-client"].contains($0.name) }) {
      overlay.insert(OptionLine(name: "client", location: settings.location), at: 0)
    }
    let inlined = inlining(overlay, base: base)
    diagnostics += inlined.diagnostics
    lines = Overlay.lay(inlined.lines, withdrawn: settings.withdrawnOptions, over: lines)

    var tunnel = LoadedConfiguration.Tunnel(settings: settings, profile: nil, lines: lines)
    // What could not be read is reported already; what its absence leads to would only hide it.
    let files: Profile.FileExpectation = diagnostics.hasErrors ? .mayBeUnread : .mustBeRead
    let parsed =
      isUnreadable ? nil : Profile.parse(lines, ignoringUnknown: settings.ignoresUnknownOptions, files: files)
    diagnostics += parsed?.diagnostics ?? []
    if !diagnostics.hasErrors, !isBroken, let profile = parsed?.profile {
      tunnel.profile = profile
      tunnel.canonicalText = Profile.canonicalText(of: lines)
    }
    tunnel.firstError = diagnostics.first { $0.severity == .error }
    tunnel.missingFiles = store.missing
    tunnel.secretFiles = store.secrets
    return (tunnel, diagnostics)
  }

  private mutating func readProfile(
    _ path: String, named location: SourceLocation
  ) -> (lines: [OptionLine], diagnostics: [Diagnostic]) {
    let full = FileStore.resolve(path, base: base)
    switch store.read(full, limit: ProfileLimits.fileBytes) {
    case .failure(let problem):
      // `adit check /etc/adit`: whoever types that means the configuration.
      let isDirectory = location.line == 0 && TextFile.status(full)?.isDirectory ?? false
      let hint = isDirectory ? "; a directory is a configuration, for `--config`" : ""
      return ([], [Diagnostic(.error, location, "the profile \(full) cannot be read: \(problem.text)\(hint)")])
    case .success(var text):
      defer { text.wipe() }
      let read = Lexer.lines(of: text, file: full)
      judgeInlineSecrets(read.lines, path: full, at: location)
      let inlined = inlining(read.lines, base: FileStore.directory(of: full))
      return (inlined.lines, read.diagnostics + inlined.diagnostics)
    }
  }

  /// A private key or a password inside the profile makes the profile itself a secret. The shared tls-auth and tls-crypt
  /// keys that providers hand to everybody do not.
  private mutating func judgeInlineSecrets(_ lines: [OptionLine], path: String, at location: SourceLocation) {
    let secrets: Set = ["key", "pkcs12", "auth-user-pass", "askpass", "tls-crypt-v2"]
    guard lines.contains(where: { $0.body != nil && secrets.contains($0.name) }),
      let status = TextFile.status(path), status.isRegular
    else { return }
    store.judge(path, status, at: location)
  }

  private mutating func inlining(
    _ lines: [OptionLine], base: String
  ) -> (lines: [OptionLine], diagnostics: [Diagnostic]) {
    // The reading closure escapes, so the store travels through a box of its own.
    let box = Box(store)
    let result = Profile.inliningFiles(in: lines) { reference in
      let path = FileStore.resolve(reference.path, base: base)
      let limit = reference.option == "config" ? ProfileLimits.fileBytes : ProfileLimits.blockBytes
      return box.store.read(path, limit: limit, secretAt: reference.isSecret ? reference.location : nil)
    }
    store = box.store
    return result
  }

  private final class Box {
    var store: FileStore
    init(_ store: FileStore) { self.store = store }
  }
}
