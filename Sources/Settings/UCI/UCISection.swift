package import Base

/// One `config` section as written, keys in canonical spelling (underscores).
package struct UCISection: Hashable, Sendable {
  package var type: String
  /// `nil` for an anonymous section.
  package var name: String?
  package var location: SourceLocation
  package var nameLocation: SourceLocation
  /// One entry a key, in the order of first mention.
  package var options: [UCIOption] = []
  /// True when a line of it could not be read.
  package var isBroken = false

  package init(type: String, name: String?, location: SourceLocation, nameLocation: SourceLocation) {
    self.type = type
    self.name = name
    self.location = location
    self.nameLocation = nameLocation
  }

  package subscript(key: String) -> UCIOption? { options.first { $0.key == key } }

  /// How a diagnostic names it.
  package var title: String { name.map { "\(type) '\($0)'" } ?? type }
}

package struct UCIOption: Hashable, Sendable {
  package var key: String
  /// Where the key stands; for a list, the first time.
  package var location: SourceLocation
  /// Never empty: `option` gives one, `list` adds.
  package var values: [UCIWord]
  package var isList: Bool
}
