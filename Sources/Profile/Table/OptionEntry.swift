/// One row of the option table: what Adit does with an option, and what it may look like.
package struct OptionEntry: Sendable {
  /// An option is in exactly one of these classes.
  package enum Treatment: Hashable, Sendable {
    case honoured
    /// Acts, but not as in OpenVPN.
    case honouredDifferently(String)
    /// Accepted without effect.
    case harmless(String)
    /// As `harmless`, but whoever wrote it may count on an effect: said as a warning.
    case harmlessWithWarning(String)
    /// Unsafe or impossible to ignore.
    case refused(String)
  }

  /// Whether a server may push it, and what `route-nopull` leaves of that (protocol.md section 13.8).
  package enum Push: Hashable, Sendable {
    case no
    case yes
    /// Left out by `route-nopull`.
    case unlessNoPull
  }

  package enum Topic: String, Hashable, Sendable, CaseIterable {
    case connection, timers, security, tunnel, network, process, server, windows, removed
  }

  package struct Traits: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// May stand in a `<connection>` block.
    package static let connection = Traits(rawValue: 1)
    /// Repeated lines add up; without it the last line counts.
    package static let list = Traits(rawValue: 2)
    /// `<name>` … `</name>` may take the place of the file.
    package static let inline = Traits(rawValue: 4)
    /// The first argument is a file to be read.
    package static let file = Traits(rawValue: 8)
  }

  package var name: String
  /// Arguments as the manual shows them: `host [port] [proto]`; `…` at the end = any number.
  package var usage: String
  package fileprivate(set) var topic = Topic.process
  package var treatment: Treatment
  package var push: Push
  package var traits: Traits
  package var arity: ClosedRange<Int>
  /// Checked from the first argument on; further arguments are plain text.
  var shapes: [ArgumentShape]

  init(
    _ name: String, _ usage: String, _ shapes: [ArgumentShape], _ treatment: Treatment, push: Push,
    _ traits: Traits
  ) {
    self.name = name
    self.usage = usage
    self.shapes = shapes
    self.treatment = treatment
    self.push = push
    self.traits = traits
    let words = usage.split(separator: " ")
    let required = words.count { !$0.hasPrefix("[") && $0 != "…" }
    arity = required...(words.last == "…" ? ProfileLimits.words : words.count)
  }

  package var isPushable: Bool { push != .no }
  package var isAllowedInConnection: Bool { traits.contains(.connection) }
  package var isList: Bool { traits.contains(.list) }
  package var allowsInline: Bool { traits.contains(.inline) }
  /// Index of the argument that names a file to be read.
  package var fileArgument: Int? { traits.contains(.file) ? 0 : nil }

  /// The class as `adit check --options` prints it.
  package var className: String {
    switch treatment {
    case .honoured: "honoured"
    case .honouredDifferently: "honoured differently"
    case .harmless, .harmlessWithWarning: "harmless"
    case .refused: "refused"
    }
  }

  /// How differently, why without effect, or why refused.
  package var explanation: String? {
    switch treatment {
    case .honoured: nil
    case .honouredDifferently(let text), .harmless(let text), .harmlessWithWarning(let text), .refused(let text): text
    }
  }
}

extension [OptionEntry] {
  /// The rows, booked under `topic`.
  func under(_ topic: OptionEntry.Topic) -> [OptionEntry] {
    map { row in
      var row = row
      row.topic = topic
      return row
    }
  }
}

// Rows are made with these, so that each reads as: name, arguments, their shapes.
extension OptionEntry {
  static func honoured(
    _ name: String, _ usage: String = "", _ shapes: [ArgumentShape] = [], push: Push = .no, _ traits: Traits = []
  ) -> OptionEntry {
    OptionEntry(name, usage, shapes, .honoured, push: push, traits)
  }

  static func differently(
    _ name: String, _ usage: String, _ shapes: [ArgumentShape] = [], _ how: String, push: Push = .no,
    _ traits: Traits = []
  ) -> OptionEntry {
    OptionEntry(name, usage, shapes, .honouredDifferently(how), push: push, traits)
  }

  static func harmless(
    _ name: String, _ usage: String = "[argument] …", _ why: String, push: Push = .no, _ traits: Traits = []
  ) -> OptionEntry {
    OptionEntry(name, usage, [], .harmless(why), push: push, traits)
  }

  static func warned(
    _ name: String, _ usage: String = "[argument] …", _ why: String, _ traits: Traits = []
  ) -> OptionEntry {
    OptionEntry(name, usage, [], .harmlessWithWarning(why), push: .no, traits)
  }

  static func refused(_ name: String, _ why: String, _ traits: Traits = []) -> OptionEntry {
    OptionEntry(name, "[argument] …", [], .refused(why), push: .no, traits)
  }
}
