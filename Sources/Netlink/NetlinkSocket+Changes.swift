import Base
import Glibc

extension NetlinkSocket {
  /// Does one change. What already is as wanted is done; what is to go and is not there, too.
  package func perform(_ change: NetlinkChange) throws(NetlinkFailure) {
    if let failure = perform([change])[0] { throw failure }
  }

  /// Does many in order, sent together, and goes on past refused ones.
  /// - Returns: for each change why it failed, or `nil`.
  package func perform(_ changes: [NetlinkChange]) -> [NetlinkFailure?] {
    var failures = [NetlinkFailure?](repeating: nil, count: changes.count)
    var indices: [DeviceName: Int32] = [:]
    var waiting: [(place: Int, request: [UInt8])] = []
    func settle() {
      for (sent, outcome) in zip(waiting, perform(together: waiting.map(\.request))) {
        failures[sent.place] = conclude(changes[sent.place], code: outcome.code, text: outcome.text)
      }
      waiting.removeAll()
    }
    for (place, change) in changes.enumerated() {
      if case .deleteRule(let rule) = change {
        settle()
        failures[place] = catching { () throws(NetlinkFailure) in try deleteExactly(rule) }
        continue
      }
      var index: Int32?
      if let device = change.device {
        index = indices[device]
        if index == nil {
          settle()
          do throws(NetlinkFailure) {
            index = try link(named: device)?.index
          } catch {
            failures[place] = error
            continue
          }
          indices[device] = index
        }
        guard index != nil else {
          failures[place] = conclude(change, code: ENODEV, text: nil)
          continue
        }
      }
      waiting.append((place, change.message(index: index).bytes(sequence: 0)))
    }
    settle()
    return failures
  }

  private func catching(_ body: () throws(NetlinkFailure) -> Void) -> NetlinkFailure? {
    do throws(NetlinkFailure) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private func conclude(_ change: NetlinkChange, code: Int32, text: String?) -> NetlinkFailure? {
    if change.isDone(by: code) { return nil }
    let failure = NetlinkFailure(operation: change.description, code: code, kernelText: text)
    guard code == EEXIST else { return failure }
    switch change {
    case .addAddress(let address):
      return catching { () throws(NetlinkFailure) in try settleConflict(address, failure) }
    case .addRule(let rule):
      return catching { () throws(NetlinkFailure) in try settleConflict(rule, failure) }
    default: return failure
    }
  }

  /// The kernel knows an IPv6 address of a device by its bits alone: the same with another length must go first.
  private func settleConflict(_ wanted: InterfaceAddress, _ failure: NetlinkFailure) throws(NetlinkFailure) {
    guard let link = try link(named: wanted.device) else { throw failure }
    let present = try addresses(devices: [link.index: wanted.device])
      .filter { $0.prefix.address == wanted.prefix.address }
    if present == [wanted] { return }
    for address in present { try perform(.deleteAddress(address)) }
    guard try link == self.link(named: wanted.device) else { throw failure }
    let outcome = ask(wanted.message(adding: true, index: link.index)) { _ in }
    guard outcome.code == 0 else {
      throw NetlinkFailure(operation: failure.operation, code: outcome.code, kernelText: outcome.text)
    }
  }

  /// The kernel calls two rules equal that differ only in `not` (rule_exists in net/core/fib_rules.c).
  private func settleConflict(_ wanted: Rule, _ failure: NetlinkFailure) throws(NetlinkFailure) {
    if try rules(wanted.family).contains(wanted.canonical) { return }
    let outcome = ask(wanted.message(adding: true, exclusively: false)) { _ in }
    guard outcome.code == 0 else {
      throw NetlinkFailure(operation: failure.operation, code: outcome.code, kernelText: outcome.text)
    }
  }

  /// A request deletes the first rule that fits what it names, so those that stand before ours and fit it too are put
  /// behind it.
  private func deleteExactly(_ rule: Rule) throws(NetlinkFailure) {
    let wanted = rule.canonical
    let fitting = try rules(wanted.family).filter { wanted.deletionMatches($0) }
    guard let place = fitting.firstIndex(of: wanted) else { return }
    for _ in 0...place {
      let outcome = ask(wanted.message(adding: false)) { _ in }
      guard outcome.code == 0 || NetlinkChange.deleteRule(rule).isDone(by: outcome.code) else {
        throw NetlinkFailure(
          operation: NetlinkChange.deleteRule(rule).description, code: outcome.code, kernelText: outcome.text)
      }
    }
    for bystander in fitting[..<place] { try perform(.addRule(bystander)) }
  }
}
