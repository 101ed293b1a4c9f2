package import Base

/// Where the keys of one section stand, for whoever has to say which of them decides.
package struct KeyLocations: Hashable, Sendable {
  private var places: [String: SourceLocation] = [:]

  package init() {}

  /// - Returns: `nil` for a key that is not written, whose default holds.
  package subscript(key: String) -> SourceLocation? {
    get { places[key] }
    set { places[key] = newValue }
  }
}
