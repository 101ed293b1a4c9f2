import Base
package import Gateway
import Netlink

extension Hands {
  /// Elements that may wait for a load; more are not kept.
  private static let mostWaiting = 65_535

  /// Puts elements into timed sets, or gives those that are there their new time.
  ///
  /// While a plan is being done they wait, since its text may be what brings their set.
  package func add(_ elements: [TimedElement]) {
    let room = Self.mostWaiting - waitingElements.count
    waitingElements += elements.prefix(room)
    if elements.count > room { elementNotes.append("\(elements.count - room) elements are left out: too many wait") }
    if !isBusy { addWaiting() }
  }

  /// Adds at once: for one-shot commands.
  package static func addNow(_ elements: [TimedElement]) -> [String] {
    change(elements) { elements, set throws(NetlinkFailure) in
      try FirewallTable.add(elements, to: set, in: Firewall.table)
    }
  }

  /// Takes elements out of their sets at once.
  /// - Returns: what could not be done, a sentence each; none for an element that is not there.
  package static func removeNow(_ elements: [TimedElement]) -> [String] {
    change(elements) { elements, set throws(NetlinkFailure) in
      try FirewallTable.remove(elements, from: set, in: Firewall.table)
    }
  }

  func addWaiting() {
    guard !waitingElements.isEmpty else { return }
    elementNotes += Self.addNow(waitingElements)
    waitingElements = []
  }

  /// What elements could not be added since the last call, and why.
  package func takeElementNotes() -> [String] {
    defer { elementNotes = [] }
    return elementNotes
  }

  private static func change(
    _ elements: [TimedElement],
    _ body: ([FirewallTable.Element], String) throws(NetlinkFailure) -> Bool
  ) -> [String] {
    var notes: [String] = []
    // In the order of their coming; the last word about an element counts.
    for (set, group) in Dictionary(grouping: elements, by: \.set.name.text).sorted(by: { $0.key < $1.key }) {
      let number = "\(group.count) element\(group.count == 1 ? "" : "s")"
      do throws(NetlinkFailure) {
        let isThere = try body(group.map { FirewallTable.Element(key: $0.key, timeout: $0.timeout) }, set)
        if !isThere { notes.append("\(number) of the set \(set): dropped, there is no such set") }
      } catch {
        notes.append("\(number) of the set \(set): \(error)")
      }
    }
    return notes
  }
}
