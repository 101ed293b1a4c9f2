/// A JSON value.
///
/// Objects keep their order, so that a status reads the same every time; numbers are whole.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Int64)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var integer: Int64? {
    guard case .number(let number) = self else { return nil }
    return number
  }

  package var truth: Bool? {
    guard case .bool(let truth) = self else { return nil }
    return truth
  }

  package var elements: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  package var members: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// Paths of all keys whose value is null (`tunnels[].user`); elements of one array share their path.
  package var nullPaths: [String] {
    var paths: [String] = []
    collectNulls(at: "", into: &paths)
    return paths.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private func collectNulls(at path: String, into paths: inout [String]) {
    switch self {
    case .null: paths.append(path)
    case .array(let elements):
      for element in elements { element.collectNulls(at: path + "[]", into: &paths) }
    case .object(let members):
      for member in members {
        member.value.collectNulls(at: path.isEmpty ? member.key : "\(path).\(member.key)", into: &paths)
      }
    case .bool, .number, .string: break
    }
  }
}

extension JSONValue {
  package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  package static func integer(_ number: (some BinaryInteger)?) -> JSONValue {
    number.map { .number(Int64(clamping: $0)) } ?? .null
  }

  package static func truth(_ truth: Bool?) -> JSONValue { truth.map { .bool($0) } ?? .null }

  package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
