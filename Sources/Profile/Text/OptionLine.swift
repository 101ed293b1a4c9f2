package import Base

/// One option as written: a name, its arguments, and the body of an inline block.
package struct OptionLine: Hashable, Sendable {
  /// Without leading dashes.
  package var name: String
  package var arguments: [String]
  /// What stood between `<name>` and `</name>`, carriage returns removed.
  package var body: SecretBytes?
  /// Lines of a `<connection>` block.
  package var block: [OptionLine]?
  package var location: SourceLocation
  /// Column of each argument, for diagnostics; may be shorter than `arguments`.
  package var argumentColumns: [Int]

  package init(
    name: String, arguments: [String] = [], body: SecretBytes? = nil, block: [OptionLine]? = nil,
    location: SourceLocation, argumentColumns: [Int] = []
  ) {
    self.name = name
    self.arguments = arguments
    self.body = body
    self.block = block
    self.location = location
    self.argumentColumns = argumentColumns
  }

  /// Where argument `index` stands, or the option itself.
  package func location(ofArgument index: Int) -> SourceLocation {
    guard argumentColumns.indices.contains(index) else { return location }
    return SourceLocation(file: location.file, line: location.line, column: argumentColumns[index])
  }
}
