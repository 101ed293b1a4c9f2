/// The answer of `adit explain`: where the packets of one device go, and which key of the configuration says so.
package struct Explanation: Hashable, Sendable {
  package enum Way: String, Hashable, Sendable, CaseIterable {
    case tunnel, wan
    /// Another net of the house.
    case lan
    /// The router itself answers.
    case router
    case blocked
  }

  package struct Answer: Hashable, Sendable {
    package var family: AddressFamily
    /// `nil` when no address of the family is known of the device.
    package var source: String?
    package var mac: String?
    /// The device of the router by which its packets come in; `nil` for the router's own.
    package var input: String?
    /// An address, a domain, or `anything on the internet`.
    package var destination: String
    package var transport: String
    package var port: UInt16
    package var way: Way
    package var tunnel: String?
    /// The device by which they leave.
    package var output: String?
    /// The next hop there.
    package var gateway: String?
    /// Where they are sent instead of where they were meant for.
    package var diverted: String?
    /// How a refusal is answered.
    package var refusal: String?
    /// What decided, in words.
    package var reason: String
    /// The deciding key, `file:line:column`.
    package var place: String?
    /// What happens to its questions for names.
    package var dns: String?
    /// Every rule and route that had a part in it, in order.
    package var steps: [String] = []
    /// What would make it otherwise, or is not known.
    package var remarks: [String] = []

    package init(
      family: AddressFamily, destination: String, transport: String, port: UInt16, way: Way, reason: String
    ) {
      self.family = family
      self.destination = destination
      self.transport = transport
      self.port = port
      self.way = way
      self.reason = reason
    }
  }

  /// Whether a daemon runs, and what holds without one.
  package var situation: String
  package var answers: [Answer] = []
  /// What would be with a daemon and every tunnel up; empty while one runs.
  package var withTunnels: [Answer] = []

  package init(situation: String) { self.situation = situation }

  /// A question that cannot be answered, in one sentence.
  package struct Problem: Error, Hashable, Sendable {
    package var text: String

    package init(_ text: String) { self.text = text }
  }
}
