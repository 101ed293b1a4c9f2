package import Base

/// One rule: when all matches hold, the statements are done in order.
package struct NftRule: Hashable, Sendable {
  package var matches: [NftMatch]
  package var statements: [NftStatement]
  /// Why the rule is there; not part of the text, and two rules that do the same are equal whatever asked for them.
  package var origin: NftOrigin?

  package init(_ matches: [NftMatch], then statements: [NftStatement], origin: NftOrigin? = nil) {
    self.matches = matches
    self.statements = statements
    self.origin = origin
  }

  package init(_ matches: NftMatch..., then statements: NftStatement...) {
    self.init(matches, then: statements)
  }

  package static func == (left: NftRule, right: NftRule) -> Bool {
    left.matches == right.matches && left.statements == right.statements
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(matches)
    hasher.combine(statements)
  }
}

/// What in the configuration asked for a rule.
package struct NftOrigin: Hashable, Sendable {
  /// `policy tv`, `gateway lan`.
  package var words: String
  /// The deciding key; `nil` for what always holds.
  package var location: SourceLocation?

  package init(_ words: String, _ location: SourceLocation? = nil) {
    self.words = words
    self.location = location
  }
}

extension [NftRule] {
  /// The same rules, each saying what asked for it, where it does not say so already.
  func because(_ origin: NftOrigin) -> [NftRule] {
    map { rule in
      var rule = rule
      rule.origin = rule.origin ?? origin
      return rule
    }
  }
}

extension NftRule {
  func because(_ origin: NftOrigin) -> NftRule { [self].because(origin)[0] }
}
