import Base

/// Why one option line cannot be taken as it stands.
package struct OptionProblem: Error {
  /// Index of the argument to point at; `nil` = the option.
  var argument: Int?
  var text: String

  init(_ text: String, argument: Int? = nil) {
    self.text = text
    self.argument = argument
  }
}

// Arguments by type. The shapes of the option table have been checked before these are asked.
extension OptionLine {
  func text(_ index: Int) -> String? { arguments.indices.contains(index) ? arguments[index] : nil }

  func number(_ index: Int) throws(OptionProblem) -> Int {
    guard let text = text(index) else { throw OptionProblem("an argument is missing") }
    guard let number = Int(decimal: text) else { throw OptionProblem("`\(text)` is not a number", argument: index) }
    return number
  }

  func seconds(_ index: Int) throws(OptionProblem) -> Duration { .seconds(try number(index)) }

  func ipv4(_ index: Int) throws(OptionProblem) -> IPv4Address {
    guard let text = text(index) else { throw OptionProblem("an address is missing") }
    guard let address = IPv4Address(text) else {
      throw OptionProblem("`\(text)` is not an IPv4 address", argument: index)
    }
    return address
  }

  func ipv6(_ index: Int) throws(OptionProblem) -> IPv6Address {
    guard let text = text(index) else { throw OptionProblem("an address is missing") }
    guard case .v6(let address)? = IPAddress(text) else {
      throw OptionProblem("`\(text)` is not an IPv6 address", argument: index)
    }
    return address
  }

  /// The content that stands in place of a file.
  func content() throws(OptionProblem) -> SecretBytes {
    if let body { return body }
    guard let path = arguments.first else { throw OptionProblem("the file is missing") }
    throw OptionProblem("the file `\(path)` was not read", argument: 0)
  }
}

extension OptionEntry {
  /// Count and shape of the arguments of `line`.
  func check(_ line: OptionLine) throws(OptionProblem) {
    for (index, argument) in line.arguments.enumerated()
    where argument.unicodeScalars.contains(where: { $0.value < 32 && $0.value != 9 || $0.value == 127 }) {
      throw OptionProblem("`\(name)` has a control character in an argument", argument: index)
    }
    if line.body != nil, !allowsInline {
      throw OptionProblem("`\(name)` stands on a line of its own, not around a block")
    }
    let given = line.arguments.count + (line.body != nil && line.arguments.isEmpty ? 1 : 0)
    if given < arity.lowerBound { throw OptionProblem("`\(name)` lacks an argument: `\(synopsis)`") }
    if line.arguments.count > arity.upperBound {
      throw OptionProblem("`\(name)` has too many arguments: `\(synopsis)`", argument: arity.upperBound)
    }
    for (index, (argument, shape)) in zip(line.arguments, shapes).enumerated() {
      if line.body != nil, index == 0, fileArgument == 0 { continue }
      if let problem = shape.problem(with: argument) { throw OptionProblem("`\(name)`: \(problem)", argument: index) }
    }
  }

  package var synopsis: String { usage.isEmpty ? name : "\(name) \(usage)" }
}
