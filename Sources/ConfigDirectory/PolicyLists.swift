import Base
import IO
import Profile
import Settings

/// Reads the lists that policies and gateways name, and puts their entries in the place of the names.
struct PolicyLists {
  /// Where relative names start.
  let base: String
  private(set) var diagnostics: [Diagnostic] = []
  private var texts: [String: Result<[UInt8], FileProblem>] = [:]
  private var store = FileStore()

  init(base: String) { self.base = base }

  static func files(of settings: Settings, base: String) -> Set<String> {
    let terms = settings.policies.flatMap { $0.sources + $0.destinations } + settings.gateways.flatMap(\.dohTerms)
    return Set(
      terms.compactMap { term in
        guard case .list(let name) = term.match else { return nil }
        return FileStore.resolve(name, base: base)
      })
  }

  /// A list with a mistake leaves its policy read in part, so that it blocks.
  mutating func expand(_ policies: inout [PolicySettings]) {
    for index in policies.indices {
      policies[index].sources = expanded(policies[index].sources, for: .source, of: &policies[index])
      policies[index].destinations = expanded(policies[index].destinations, for: .destination, of: &policies[index])
    }
  }

  /// Addresses only: a name would have to be asked for first.
  mutating func expand(_ gateways: inout [GatewaySettings]) {
    for index in gateways.indices {
      var list = PolicySettings(name: gateways[index].name, location: gateways[index].location)
      gateways[index].dohTerms = expanded(gateways[index].dohTerms, for: .destination, of: &list)
      for term in gateways[index].dohTerms {
        if case .domain(let name) = term.match {
          let location = gateways[index].keys["block_doh"] ?? gateways[index].location
          diagnostics.append(Diagnostic(.warning, location, "`block_doh` takes addresses only; \(name) is left out"))
        }
      }
    }
  }

  private mutating func expanded(
    _ terms: [PolicySettings.Term], for end: PolicySettings.End, of policy: inout PolicySettings
  ) -> [PolicySettings.Term] {
    var result: [PolicySettings.Term] = []
    var isWhole = true
    for term in terms {
      guard case .list(let name) = term.match else {
        result.append(term)
        continue
      }
      let path = FileStore.resolve(name, base: base)
      switch text(of: path) {
      case .failure(let problem):
        isWhole = false
        result.append(term)
        diagnostics.append(
          Diagnostic(
            .error, term.location ?? policy.location, "the list \(path) cannot be read: \(problem.text)\(hint(path))"))
      case .success(let text):
        let list = PolicyList(text: text, file: path, for: end)
        diagnostics += list.diagnostics
        isWhole = isWhole && list.isWhole
        if list.matches.isEmpty {
          // The name stays, and matches nothing: with no term at all the policy would match everything.
          result.append(term)
          if list.isWhole {
            diagnostics.append(Diagnostic(.warning, term.location ?? policy.location, "the list \(path) is empty"))
          }
        }
        result += list.matches.map { PolicySettings.Term(match: $0, isNegated: term.isNegated) }
      }
    }
    if !isWhole { policy.reading = max(policy.reading, .part) }
    return result
  }

  private mutating func text(of path: String) -> Result<[UInt8], FileProblem> {
    if let known = texts[path] { return known }
    let text = store.read(path, limit: UCILimits.fileSize)
    texts[path] = text
    return text
  }

  private func hint(_ path: String) -> String {
    guard TextFile.status(path) == nil, let slash = path.lastIndex(of: "/"),
      let names = try? TextFile.names(in: FileStore.directory(of: path)),
      let nearest = NearestName.of(String(path[path.index(after: slash)...]), in: names)
    else { return "" }
    return "; did you mean `\(nearest)`?"
  }
}
