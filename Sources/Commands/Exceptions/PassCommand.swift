import Base
import Control
import Gateway
import Glibc
import Hands
import IO

/// `adit pass`: one device of a LAN goes out by the WAN for a time that the kernel counts.
package enum PassCommand {
  package static func run(_ request: PassRequest) -> ExitCode {
    guard geteuid() == 0 else { return Terminal.fail(.noPermission, "pass needs root") }
    do throws(Fault) {
      switch request.change {
      case nil: return try list(asJSON: request.asJSON)
      case .end(let address): return try end(address)
      case .begin(let address, let span): return try begin(address, for: span)
      }
    } catch {
      return Terminal.fail(.failure, error.sentence)
    }
  }

  private static func list(asJSON: Bool) throws(Fault) -> ExitCode {
    let wall = Clock.wallTime
    let passes = try Exceptions.read().passes.map { PassStatus($0, at: wall) }
    if asJSON {
      Terminal.say(JSONValue.object([.init("passes", .array(passes.map(\.json)))]).line + "\n")
    } else {
      Terminal.say(passes.isEmpty ? "no passes\n" : passes.map { words($0, at: wall) + "\n" }.joined())
    }
    return .ok
  }

  private static func begin(_ address: IPAddress, for span: Duration) throws(Fault) -> ExitCode {
    guard let lan = try Exceptions.lanDevices() else {
      return Terminal.fail(.unavailable, "nothing is armed: what a LAN sends takes the ordinary way already")
    }
    if let complaint = try LANPlaces.find(lan).complaint(about: address) {
      return Terminal.fail(.badInput, complaint)
    }
    let code = change(address, timeout: span, Hands.addNow)
    guard code == .ok else { return code }
    let wall = Clock.wallTime
    let pass = PassStatus(address: address.description, until: wall + span)
    Terminal.say(words(pass, at: wall) + "\n")
    return .ok
  }

  private static func end(_ address: IPAddress) throws(Fault) -> ExitCode {
    guard try Exceptions.read().passes.contains(where: { $0.address == address }) else {
      Terminal.say("\(address) has no pass\n")
      return .ok
    }
    let code = change(address, timeout: nil, Hands.removeNow)
    if code == .ok { Terminal.say("\(address) passes no more\n") }
    return code
  }

  private static func change(
    _ address: IPAddress, timeout: Duration?, _ body: ([TimedElement]) -> [String]
  ) -> ExitCode {
    guard
      let element = TimedElement(set: .pass(address.family), value: .address(address), timeout: timeout)
    else { return .failure }
    let notes = body([element])
    for note in notes { Terminal.complain("adit: \(note)\n") }
    guard notes.isEmpty else { return .failure }
    RunningConnections.forget { $0 == address }
    return .ok
  }

  private static func words(_ pass: PassStatus, at wall: WallTime) -> String {
    StatusText.words(pass, now: wall) { LocalClock.text($0, now: wall) }
  }
}

extension PassStatus {
  init(_ pass: Exceptions.Pass, at wall: WallTime) {
    self.init(address: pass.address.description, until: wall + pass.left)
  }
}
